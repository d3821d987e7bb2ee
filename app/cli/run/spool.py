"""Runs that the server does not know yet, each a file in a folder of the user until it is delivered."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

_OWN, _WAITING = ".run", ".json"
"""Suffixes of a record: the run itself is delivering it; it waits."""
_ABANDONED_S = 600.0
"""A run that was killed while it delivered its own record leaves it to others after this time."""


@dataclass
class RunRecord:
    """A run: the server, the job as the API takes it, its id once registered, and why it is not delivered."""

    url: str
    job: dict[str, Any]
    id: str | None = None
    problem: str = ""
    path: Path | None = field(default=None, compare=False)

    @property
    def end(self) -> dict[str, Any]:
        """The fields that end the job."""
        return {name: self.job[name] for name in ("end", "state")}


def default_folder() -> Path:
    """Return the folder of the user's spool; home directories are usually shared by all nodes of a cluster."""
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "wattline" / "runs"


class Spool:
    """A folder of records. Every method may raise OSError."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, record: RunRecord) -> None:
        """Write a record, or write it again; a crash leaves the old or the new one."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if record.path is None:
            moment = "".join(c for c in str(record.job["start"]) if c.isalnum())
            record.path = self.folder / f"{moment}-{socket.gethostname()}-{os.getpid()}{_OWN}"
        content = {name: value for name, value in asdict(record).items() if name != "path"}
        half = record.path.with_suffix(".half")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with open(os.open(half, flags, 0o600), "w", encoding="utf-8") as file:
            json.dump(content, file)
            file.flush()
            os.fsync(file.fileno())
        half.replace(record.path)

    def release(self, record: RunRecord) -> None:
        """Leave a record of this run to the next delivery."""
        if record.path is not None:
            record.path = record.path.replace(record.path.with_suffix(_WAITING))

    def drop(self, record: RunRecord) -> None:
        """Delete a record."""
        if record.path is not None:
            record.path.unlink(missing_ok=True)

    def records(self) -> list[RunRecord]:
        """Return the records, the one written last at the end; a file that is no record is skipped."""
        written = []
        for path in (*self.folder.glob(f"*{_WAITING}"), *self.folder.glob(f"*{_OWN}")):
            try:
                changed_s = path.stat().st_mtime
                found = RunRecord(**json.loads(path.read_text("utf-8")), path=path)
            except (OSError, ValueError, TypeError):
                continue
            if path.suffix == _WAITING or time.time() - changed_s > _ABANDONED_S:
                written.append((changed_s, path.name, found))
        return [found for _, _, found in sorted(written, key=lambda row: row[:2])]

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Yield whether no other process delivers this spool now."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.folder / "lock").open("w", encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
