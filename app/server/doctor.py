"""Check an installation for common problems."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions, version
from pathlib import Path

from app import paths
from app.server.error_translation import translate
from app.server.operation_findings import DoctorFinding, operation_findings
from app.services.stores import open_stores
from app.settings import Settings
from app.store.database import is_empty, open_engine, schema_is_current
from collectors.contract import wall_clock_ms

_LEAST_FREE_BYTES = 2**30

Check = Callable[[Settings], Iterator[DoctorFinding]]


def findings(settings: Settings) -> Iterator[DoctorFinding]:
    """Run every check and yield its result. A check that fails with an error yields that error."""
    checks: tuple[Check, ...] = (_version, _packages, _pages, _data_dir, _disk, _exposure, _database)
    for check in checks:
        try:
            yield from check(settings)
        except Exception as error:
            found = translate(error)
            what = f"{found} ({found.hint})" if found else f"{type(error).__name__}: {error}"
            yield DoctorFinding(False, f"{check.__name__.strip('_').replace('_', ' ')}: {what}")


def _version(_: Settings) -> Iterator[DoctorFinding]:
    python = ".".join(map(str, sys.version_info[:3]))
    wattline = version("wattline")
    yield DoctorFinding(sys.version_info >= (3, 11), f"Wattline {wattline}, Python {python} (3.11 or newer is needed)")


def _packages(_: Settings) -> Iterator[DoctorFinding]:
    try:
        distribution("wattline")
    except PackageNotFoundError:
        yield DoctorFinding(
            False, "wattline is not installed in this environment: run make install or pip install wattline"
        )
        return
    others = {name for package in ("app", "collectors") for name in packages_distributions().get(package, [])}
    strangers = sorted(others - {"wattline"})
    if strangers:
        yield DoctorFinding(
            False,
            f"{', '.join(strangers)} also contains a package `app` or `collectors`: install wattline into its own venv",
        )
        return
    yield DoctorFinding(True, "packages `app` and `collectors` are wattline's own")


def _pages(_: Settings) -> Iterator[DoctorFinding]:
    index = paths.frontend() / "index.html"
    yield DoctorFinding(
        index.is_file(), f"dashboard pages in {index.parent}" if index.is_file() else f"{index} is missing"
    )


def _data_dir(settings: Settings) -> Iterator[DoctorFinding]:
    folder = settings.data_dir
    folder.mkdir(parents=True, exist_ok=True)
    probe = Path(folder) / ".doctor"
    probe.touch()
    probe.unlink()
    yield DoctorFinding(True, f"data directory {folder} is writable")


def _disk(settings: Settings) -> Iterator[DoctorFinding]:
    free = shutil.disk_usage(settings.data_dir).free
    text = f"{free / 2**30:,.1f} GiB free on the disk of {settings.data_dir}"
    yield DoctorFinding(free >= _LEAST_FREE_BYTES, text if free >= _LEAST_FREE_BYTES else f"{text}: free space there")


def _database(settings: Settings) -> Iterator[DoctorFinding]:
    engine = open_engine(settings.database_url)
    where = engine.url.render_as_string(hide_password=True)
    try:
        if is_empty(engine):
            yield DoctorFinding(True, f"database {where} responds and is empty: wattline up creates its tables")
        elif schema_is_current(engine):
            yield DoctorFinding(True, f"database {where} responds and has the schema of this version")
            yield from operation_findings(open_stores(settings, wall_clock_ms, engine))
        else:
            yield DoctorFinding(False, f"database {where} has the schema of another version: run wattline db upgrade")
    finally:
        engine.dispose()


def _exposure(settings: Settings) -> Iterator[DoctorFinding]:
    if settings.on_loopback:
        yield DoctorFinding(True, f"server listens on {settings.host} only")
    elif settings.read_token is None or settings.ingest_token is None:
        yield DoctorFinding(
            False, f"server listens on {settings.host} without WATTLINE_READ_TOKEN and WATTLINE_INGEST_TOKEN: set both"
        )
    else:
        yield DoctorFinding(True, f"server listens on {settings.host}, with tokens")
