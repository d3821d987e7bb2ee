"""The caps of a sweep: checked before, set one after the other, and the former ones back at the end of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from collectors.errors import ConfigError
from collectors.power_cap.board import Board, CapFailed, CapLibrary, check_range, chosen
from collectors.power_cap.guard import guarded, restore
from collectors.power_cap.journal import Journal, JournalEntry

_TOLERANCE_W = 1.0


class Hold:
    """The boards of a sweep."""

    def __init__(self, library: CapLibrary, boards: Sequence[Board], journal: Journal) -> None:
        self.boards = boards
        self._library = library
        self._journal = journal

    def set(self, cap_w: float) -> None:
        """Cap every board, and see that it holds. [W]

        Raises
        ------
        CapDenied, CapFailed
        """
        for board in self.boards:
            self._library.set(board.uuid, cap_w)
        if lost := self.lost(cap_w):
            raise CapFailed(lost, "does something else set power limits on this node (dcgm, nvpmodel, a prolog)?")

    def lost(self, cap_w: float) -> str | None:
        """What says that the cap is not in force (any more); None while it is."""
        now = {board.uuid: board.cap_w for board in self._library.boards()}
        for board in self.boards:
            found = now.get(board.uuid)
            if found is None:
                return f"{board.title} is gone"
            if abs(found - cap_w) > _TOLERANCE_W:
                return f"{board.title} is capped at {found:g} W, not at {cap_w:g} W"
        return None

    def note_job(self, job: str | None) -> None:
        """Which run goes on: known to the guard, should we die."""
        self._journal.note(job=job)


@contextlib.contextmanager
def holding(
    library: CapLibrary, through: Sequence[str], which: str, caps_w: Sequence[float], journal: Journal
) -> Iterator[Hold]:
    """Take the boards `which`; their former caps are back when this is left, or when this process dies.

    Raises
    ------
    ConfigError
        Another sweep runs or one left its journal, no such GPU, a cap out of range, or one that would not last.
    CapDenied
        This user may not set caps: found out by setting each to what it is.
    """
    with journal.lock():
        if journal.read() is not None:
            raise ConfigError(f"{journal.path} tells of a sweep that died", "wattline sweep --restore", "left_over")
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
                f"{board.title} forgets its cap when nobody uses it: persistence mode is off",
                "nvidia-smi -pm 1, or sweep without --nvidia-smi (NVML holds the driver open)",
                "cap_not_kept",
            )


def undo(journal: Journal) -> JournalEntry | None:
    """Set back what a sweep that died has left, and tell what it was; None when there is nothing.

    Raises
    ------
    ConfigError
        A sweep runs.
    CollectorError
        A cap could not be set back: the journal stays.
    """
    with journal.lock():
        entry = restore(journal)
        journal.clear()
        return entry
