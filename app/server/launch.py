"""Start the server, alone or together with a collector and the demo facility."""

from __future__ import annotations

import gc
import os
import signal
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from app.domain.timeseries import rfc3339
from app.errors import Invalid, Unavailable
from app.server.application import create_app
from app.server.data_dir import make_data_dir, only_server
from app.server.demo_facility import demo_facility
from app.server.memory import share_arenas
from app.server.serving import Server
from app.server.supervisor import Child, Supervisor
from app.server.terminal import SafeConsole
from app.services.access import SERVER, first_link, link_path
from app.services.facility import ObjectChange, apply, load, record_changes, unchecked
from app.services.stores import open_stores
from app.settings import Settings
from app.store.database import migrate, open_engine

_console = SafeConsole(highlight=False, emoji=False)
_errors = SafeConsole(stderr=True, highlight=False, emoji=False)
GARBAGE_THRESHOLDS = (50_000, 20, 50)
"""A page of a large site makes a hundred thousand objects, none of them garbage that only a collection would find."""


def given_settings(host: str | None, port: int | None, *, demo: bool = False, local: bool = False) -> Settings:
    """Return the settings of the environment with the options that were given.

    The demo keeps its data in `demo` inside the data directory, apart from what the user's own devices report.
    """
    options = {"host": host, "port": port, "local_mode": local or None}
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    settings = Settings(**given)
    return Settings(**given, data_dir=settings.data_dir / "demo") if demo else settings


def prepare(settings: Settings, facility: Path | None) -> None:
    """Upgrade the database to this version and apply the facility file, if one is given."""
    make_data_dir(settings.data_dir)
    engine = open_engine(settings.database_url)
    try:
        migrate(engine)
    finally:
        engine.dispose()
    if facility is not None:
        changes = apply_facility(settings, facility, dry_run=False, warn=_note)
        _console.print(f"facility {facility.name}: {len(changes)} changes" if changes else f"facility {facility.name}")


def _note(text: str) -> None:
    _errors.print(f"note: {text}", markup=False, soft_wrap=True)


def apply_facility(
    settings: Settings,
    facility: Path,
    *,
    dry_run: bool,
    prune: bool = False,
    effective_ms: int | None = None,
    warn: Callable[[str], None] | None = None,
) -> list[ObjectChange]:
    """Check a facility file and apply it; a file with errors is not applied.

    Raises
    ------
    FacilityErrors
        All errors of the file, with their lines.
    """
    stores = open_stores(settings)
    try:
        plan = load(facility)
        changes = apply(stores, plan, dry_run=dry_run, prune=prune, effective_ms=effective_ms)
        if not dry_run:
            record_changes(stores, SERVER, changes)
        if warn is not None:
            for warning in unchecked(stores, plan, effective_ms):
                warn(warning)
        return changes
    finally:
        stores.engine.dispose()


def run_server(settings: Settings, facility: Path | None) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    settings = settings.model_copy(update={"local_mode": bool(settings.local_mode)})
    with only_server(settings.data_dir):
        require_free_port(settings)
        require_certificate(settings)
        prepare(settings, facility)
        _serve(settings, lambda: None)


def run_together(settings: Settings, facility: Path | None, *, demo: bool) -> None:
    """Serve with a supervised collector, and with the simulated facility if `demo`; all stop together.

    Raises
    ------
    Invalid
        A certificate is set: the collector would reach the server under a name that is not in it.
    """
    if settings.tls_certificate is not None:
        raise Invalid(
            "WATTLINE_TLS_CERTIFICATE is for `wattline serve`",
            "run `wattline serve` and `wattline collect`, or a proxy",
        )
    with only_server(settings.data_dir):
        require_free_port(settings)
        simulated = ["simulate"]
        if demo and facility is None:
            facility = demo_facility(settings.data_dir)
            simulated += ["--hall", str(facility)]
            os.environ.setdefault("WATTLINE_DEVICE_NETWORKS", "127.0.0.0/8")
        prepare(settings, facility)
        _pass_on(settings, facility)
        supervisor = Supervisor([*([Child(simulated)] if demo else []), Child(["collect"])])
        try:
            _serve(settings, supervisor.start, supervisor.stop)
        finally:
            supervisor.stop()


def require_free_port(settings: Settings) -> None:
    """Check that the server can listen, before anything is changed.

    Raises
    ------
    Unavailable
        The port is in use, or the address is not one of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise _cannot_listen(settings, error.strerror or str(error)) from error


def require_certificate(settings: Settings) -> None:
    """Check that the certificate and its key, if they are set, can be used.

    Raises
    ------
    Invalid
    """
    if settings.tls_certificate is None or settings.tls_key is None:
        return
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(settings.tls_certificate, settings.tls_key)
    except (OSError, ssl.SSLError) as error:
        raise Invalid(
            f"cannot use {settings.tls_certificate} with {settings.tls_key}: {error}",
            "set WATTLINE_TLS_CERTIFICATE and WATTLINE_TLS_KEY to PEM files that this user may read",
        ) from error


def _cannot_listen(settings: Settings, why: str) -> Unavailable:
    return Unavailable(
        f"cannot listen on {settings.host}:{settings.port}: {why}",
        "another server may use this port; choose another one with --port or WATTLINE_PORT",
    )


def _serve(settings: Settings, when_ready: Callable[[], None], before_stop: Callable[[], None] = lambda: None) -> None:
    server = Server(create_app(settings), host=settings.host, port=settings.port, before_stop=before_stop)

    def announce() -> None:
        while not server.started:
            if server.should_exit:
                return
            time.sleep(0.05)
        where = _address(settings)
        _console.print(f"Wattline is on [bold]{where}[/] · API at {where}/docs · stop it with Ctrl-C", soft_wrap=True)
        _console.print(f"data directory: {settings.data_dir}", markup=False, soft_wrap=True)
        for line in _exposure(settings):
            _note(line)
        for line in first_start(settings):
            _console.print(line, markup=False, soft_wrap=True)
        when_ready()

    threading.Thread(target=announce, name="announce", daemon=True).start()
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup
        signal.signal(signal.SIGHUP, server.handle_exit)
    share_arenas()
    gc.freeze()  # Objects made at the start stay: collecting garbage among them took a quarter of the time.
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    try:
        server.run()
    except KeyboardInterrupt:
        pass
    except SystemExit as error:  # uvicorn exits like this if it cannot bind, after it printed why
        raise _cannot_listen(settings, "see above") from error
    if not server.started:
        sys.exit(1)


def _exposure(settings: Settings) -> Iterator[str]:
    """Yield the needed tokens that are not set, and the address for other machines if they can reach the server."""
    if settings.on_loopback and settings.local_mode is not False:
        return
    tokens = {"WATTLINE_READ_TOKEN": settings.read_token, "WATTLINE_INGEST_TOKEN": settings.ingest_token}
    missing = [name for name, token in tokens.items() if token is None]
    if missing:
        yield f"not set: {', '.join(missing)}; requests that need them are refused, also from this machine"
    if settings.on_loopback:
        return
    host = socket.gethostname() if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104
    yield f"other machines reach it at {_scheme(settings)}://{host}:{settings.port}"


def first_start(settings: Settings) -> Iterator[str]:
    """Yield the one-time link for the first administrator; nothing once there is a user."""
    stores = open_stores(settings)
    try:
        made = first_link(stores)
        if made is not None:
            code, until_ms = made
            url = f"{settings.address}{link_path(code)}"
            yield f"no users yet; this link creates the administrator, once, until {rfc3339(until_ms)}: {url}"
    finally:
        stores.engine.dispose()


def _pass_on(settings: Settings, facility: Path | None = None) -> None:
    """Pass the address of the server, the token and the facility file to child processes in the environment."""
    os.environ["WATTLINE_URL"] = _address(settings)
    os.environ["WATTLINE_DATA_DIR"] = str(settings.data_dir)
    if facility is not None:
        os.environ["WATTLINE_FACILITY"] = str(facility.resolve())
    token = settings.ingest_token or settings.read_token
    if token is not None:
        os.environ["WATTLINE_TOKEN"] = token.get_secret_value()


def _address(settings: Settings) -> str:
    return f"{_scheme(settings)}://{_reachable(settings.host)}:{settings.port}{settings.path_prefix}"


def _scheme(settings: Settings) -> str:
    return "https" if settings.tls_certificate else "http"


def _reachable(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104
