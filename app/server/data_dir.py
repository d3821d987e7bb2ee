"""The data directory: readable by its user alone, and used by one server at a time."""

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
    with open(folder / LOCK, "a+", encoding="utf-8") as file:
        if not _locked(file.fileno()):
            file.seek(0)
            raise Conflict(
                f"another server (process {file.read().strip() or 'unknown'}) uses the data directory {folder}",
                "stop it, or set WATTLINE_DATA_DIR to another directory for this one",
                code="data_dir_in_use",
            )
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
