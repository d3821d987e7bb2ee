"""The data directory: readable by its user alone, and used by one server and one collector of a name at a time."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from app.errors import Conflict, Invalid

LOCK = "server.lock"


def make_data_dir(folder: Path) -> None:
    """Create the data directory (mode 0700) unless it exists; files that this process creates from now on are 0600.

    Raises
    ------
    Invalid
        It cannot be created there.
    """
    os.umask(0o077)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Invalid(
            f"cannot create the data directory {folder}: {error.strerror}",
            "set WATTLINE_DATA_DIR to a writable directory",
        ) from error


@contextlib.contextmanager
def only_server(folder: Path) -> Iterator[None]:
    """Hold the lock of a data directory. The system releases it when the process ends, however it ends.

    Raises
    ------
    Conflict
        Another server holds it.
    """
    make_data_dir(folder)
    hint = "stop it, or set WATTLINE_DATA_DIR to another directory for this one"
    with _only_process(folder / LOCK, "server", f"the data directory {folder}", hint, "data_dir_in_use"):
        yield


@contextlib.contextmanager
def only_collector(outbox: Path) -> Iterator[None]:
    """Hold the lock of an outbox, as `only_server` does that of a data directory.

    Raises
    ------
    Conflict
        Another collector holds it.
    """
    hint = "stop it, or give this one a name of its own with --name"
    lock = outbox.with_name(f"{outbox.name}.lock")
    with _only_process(lock, "collector", f"the outbox {outbox}", hint, "outbox_in_use"):
        yield


@contextlib.contextmanager
def _only_process(lock: Path, kind: str, uses: str, hint: str, code: str) -> Iterator[None]:
    with open(lock, "a+", encoding="utf-8") as file:
        if not _locked(file.fileno()):
            file.seek(0)
            process = file.read().strip() or "unknown"
            raise Conflict(f"another {kind} (process {process}) uses {uses}", hint, code=code)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def _locked(file: int) -> bool:
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
