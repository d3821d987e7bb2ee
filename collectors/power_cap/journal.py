"""Journal of a sweep on disk, written before any change: former caps and current job."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from collectors.errors import ConfigError


@dataclass(frozen=True)
class JournalEntry:
    """Content of the file.

    Attributes
    ----------
    former_w: cap by UUID before the sweep. [W]
    through: the nvidia-smi command that set them; empty for NVML.
    job: id of the current run on the server.
    restored_ms: when the guard restored the caps of a sweep that died.
    """

    former_w: Mapping[str, float] = field(default_factory=dict)
    through: tuple[str, ...] = ()
    job: str | None = None
    restored_ms: int | None = None


class Journal:
    """One file, replaced atomically and synced, so that a crash leaves either the old or the new content."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> JournalEntry | None:
        """Return the entry to undo; None if there is none.

        Raises
        ------
        ConfigError
            The file cannot be read; it is kept for inspection.
        """
        try:
            data: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
            return JournalEntry(**{**data, "through": tuple(data["through"])})
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise ConfigError(
                f"{self.path} cannot be read: {error}",
                "restore the caps manually (nvidia-smi -pl) and remove the file",
                "bad_journal",
            ) from None

    def write(self, entry: JournalEntry) -> None:
        """Replace the entry."""
        draft = self.path.with_suffix(".new")
        with draft.open("w", encoding="utf-8") as file:
            json.dump(asdict(entry), file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path)

    def note(self, **changes: object) -> None:
        """Change fields of the entry."""
        self.write(replace(self.read() or JournalEntry(), **changes))  # type: ignore[arg-type]

    def clear(self) -> None:
        """Remove the entry."""
        self.path.unlink(missing_ok=True)

    def lock(self) -> IO[str]:
        """Lock out other sweeps until the returned file is closed or this process ends.

        Raises
        ------
        ConfigError
            Another sweep is running.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        held = self.path.with_suffix(".lock").open("w", encoding="utf-8")
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            held.close()
            raise ConfigError(
                "another sweep is running on this machine", "wait until it ends", "sweep_running"
            ) from None
        return held
