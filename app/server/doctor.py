"""Check an installation for common problems."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from app import paths
from app.server.error_translation import translate
from app.settings import Settings
from app.store.database import is_empty, open_engine, schema_is_current


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """Result of one check: whether it passed, and a sentence."""

    ok: bool
    text: str


def findings(settings: Settings) -> Iterator[DoctorFinding]:
    """Run every check and yield its result. A check that fails with an error yields that error."""
    checks: tuple[Callable[[Settings], DoctorFinding], ...] = (
        _python,
        _packages,
        _pages,
        _data_dir,
        _database,
        _exposure,
    )
    for check in checks:
        try:
            yield check(settings)
        except Exception as error:
            found = translate(error)
            what = f"{found} ({found.hint})" if found else f"{type(error).__name__}: {error}"
            yield DoctorFinding(False, f"{check.__name__.strip('_').replace('_', ' ')}: {what}")


def _python(_: Settings) -> DoctorFinding:
    version = ".".join(map(str, sys.version_info[:3]))
    return DoctorFinding(sys.version_info >= (3, 11), f"Python {version} (3.11 or newer is needed)")


def _packages(_: Settings) -> DoctorFinding:
    try:
        distribution("wattline")
    except PackageNotFoundError:
        return DoctorFinding(
            False, "wattline is not installed in this environment: run make install or pip install wattline"
        )
    others = {name for package in ("app", "collectors") for name in packages_distributions().get(package, [])}
    strangers = sorted(others - {"wattline"})
    if strangers:
        return DoctorFinding(
            False,
            f"{', '.join(strangers)} also contains a package `app` or `collectors`: install wattline into its own venv",
        )
    return DoctorFinding(True, "packages `app` and `collectors` are wattline's own")


def _pages(_: Settings) -> DoctorFinding:
    index = paths.frontend() / "index.html"
    return DoctorFinding(
        index.is_file(), f"dashboard pages in {index.parent}" if index.is_file() else f"{index} is missing"
    )


def _data_dir(settings: Settings) -> DoctorFinding:
    folder = settings.data_dir
    folder.mkdir(parents=True, exist_ok=True)
    probe = Path(folder) / ".doctor"
    probe.touch()
    probe.unlink()
    return DoctorFinding(True, f"data directory {folder} is writable")


def _database(settings: Settings) -> DoctorFinding:
    engine = open_engine(settings.database_url)
    try:
        current, empty = schema_is_current(engine), is_empty(engine)
    finally:
        engine.dispose()
    where = engine.url.render_as_string(hide_password=True)
    if empty:
        return DoctorFinding(True, f"database {where} responds and is empty: wattline up creates its tables")
    if current:
        return DoctorFinding(True, f"database {where} responds and has the schema of this version")
    return DoctorFinding(False, f"database {where} has the schema of another version: run wattline db upgrade")


def _exposure(settings: Settings) -> DoctorFinding:
    if settings.on_loopback:
        return DoctorFinding(True, f"server listens on {settings.host} only")
    if settings.read_token is None or settings.ingest_token is None:
        return DoctorFinding(
            False, f"server listens on {settings.host} without WATTLINE_READ_TOKEN and WATTLINE_INGEST_TOKEN: set both"
        )
    return DoctorFinding(True, f"server listens on {settings.host}, with tokens")
