"""What a sweep must undo, on disk before it does anything: the former caps, and the job that runs."""

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
    """What stands in the file.

    Attributes
    ----------
    former_w: cap by UUID before the sweep. [W]
    through: the nvidia-smi command that set them; empty for NVML.
    job: the run that was going on, as the server knows it.
    restored_ms: when the guard set the caps back because the sweep had died.
    """

    former_w: Mapping[str, float] = field(default_factory=dict)
    through: tuple[str, ...] = ()
    job: str | None = None
    restored_ms: int | None = None


class Journal:
    """One file. Written whole and synced, so that a crash leaves the old one or the new one."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> JournalEntry | None:
        """What is to be undone; None when nothing is.

        Raises
        ------
        ConfigError
            The file cannot be read: it is kept, for a person to look at.
        """
        try:
            told: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
            return JournalEntry(**{**told, "through": tuple(told["through"])})
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise ConfigError(
                f"{self.path} cannot be read: {error}",
                "set the caps back by hand (nvidia-smi -pl) and remove the file",
                "bad_journal",
            ) from None

    def write(self, entry: JournalEntry) -> None:
        """Replace what stands there."""
        draft = self.path.with_suffix(".new")
        with draft.open("w", encoding="utf-8") as file:
            json.dump(asdict(entry), file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path)

    def note(self, **changes: object) -> None:
        """Change some of it."""
        self.write(replace(self.read() or JournalEntry(), **changes))  # type: ignore[arg-type]

    def clear(self) -> None:
        """Nothing is to be undone any more."""
        self.path.unlink(missing_ok=True)

    def lock(self) -> IO[str]:
        """Hold the file against other sweeps until closed, or until this process ends in whatever way.

        Raises
        ------
        ConfigError
            Another sweep runs.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        held = self.path.with_suffix(".lock").open("w", encoding="utf-8")
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            held.close()
            raise ConfigError("another sweep runs on this machine", "wait for its end", "sweep_running") from None
        return held
