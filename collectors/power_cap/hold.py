"""Hold the caps of a sweep: validate them, set them, and restore the former ones at the end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from collectors.errors import ConfigError
from collectors.power_cap.board import Board, CapFailed, CapLibrary, check_range, chosen
from collectors.power_cap.guard import guarded, restore
from collectors.power_cap.journal import Journal, JournalEntry

_TOLERANCE_W = 1.0


class Hold:
    """The capped boards of a sweep."""

    def __init__(self, library: CapLibrary, boards: Sequence[Board], journal: Journal) -> None:
        self.boards = boards
        self._library = library
        self._journal = journal

    def set(self, cap_w: float) -> None:
        """Cap every board [W] and check that the cap is in force.

        Raises
        ------
        CapDenied, CapFailed
        """
        for board in self.boards:
            self._library.set(board.uuid, cap_w)
        if lost := self.lost(cap_w):
            raise CapFailed(
                lost, "check whether another tool sets power limits on this node (dcgm, nvpmodel, a prolog)"
            )

    def lost(self, cap_w: float) -> str | None:
        """Return why the cap is not in force; None if it is."""
        now = {board.uuid: board.cap_w for board in self._library.boards()}
        for board in self.boards:
            found = now.get(board.uuid)
            if found is None:
                return f"{board.title} is gone"
            if abs(found - cap_w) > _TOLERANCE_W:
                return f"{board.title} is capped at {found:g} W, not at {cap_w:g} W"
        return None

    def note_job(self, job: str | None) -> None:
        """Record the current run, so that the guard knows it if this process dies."""
        self._journal.note(job=job)


@contextlib.contextmanager
def holding(
    library: CapLibrary, through: Sequence[str], which: str, caps_w: Sequence[float], journal: Journal
) -> Iterator[Hold]:
    """Hold the boards `which`; restore their former caps on exit, also if this process dies.

    Raises
    ------
    ConfigError
        Another sweep is running or left its journal, no such GPU, a cap is out of range or would not persist.
    CapDenied
        This user may not set caps, checked by setting each to its current value.
    """
    with journal.lock():
        if journal.read() is not None:
            raise ConfigError(
                f"{journal.path}: an earlier sweep was not cleaned up", "run wattline sweep --restore", "left_over"
            )
        boards = chosen(library.boards(), which)
        check_range(caps_w, boards)
        _check_kept(boards)
        for board in boards:
            library.set(board.uuid, board.cap_w)
        journal.write(JournalEntry({board.uuid: board.cap_w for board in boards}, tuple(through)))
        with guarded(journal):
            try:
                yield Hold(library, boards, journal)
            finally:
                restore(journal)
                journal.clear()


def _check_kept(boards: Sequence[Board]) -> None:
    for board in boards:
        if not board.kept:
            raise ConfigError(
                f"{board.title} loses its cap while unused: persistence mode is off",
                "nvidia-smi -pm 1, or sweep without --nvidia-smi (NVML holds the driver open)",
                "cap_not_kept",
            )


def undo(journal: Journal) -> JournalEntry | None:
    """Restore the caps of a sweep that died; return its journal entry, None if there is none.

    Raises
    ------
    ConfigError
        A sweep is running.
    CollectorError
        A cap could not be restored; the journal is kept.
    """
    with journal.lock():
        entry = restore(journal)
        journal.clear()
        return entry
