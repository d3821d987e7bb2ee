"""Compute the changes of a versioned table that make another version valid from a time on. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from app.models import Validity


@dataclass(frozen=True)
class Revision:
    """Rows to delete and to end (None: valid again), by version number, and versions to add."""

    drop: list[int] = field(default_factory=list)
    end: dict[int, int | None] = field(default_factory=dict)
    add: list[Validity] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.drop or self.end or self.add)

    def include(self, other: Revision) -> None:
        """Add the changes of another revision."""
        self.drop.extend(other.drop)
        self.end.update(other.end)
        self.add.extend(other.add)


def supersede(versions: Sequence[Validity], after: Validity | None, effective_ms: int, since_ms: int) -> Revision:
    """Make `after` the only valid version from `effective_ms` on (None: no version), whatever was stored for later.

    Earlier versions stay valid before that. `since_ms` is the start of a new version: the same time, or 0 for an
    object that was never stored.
    """
    reaching = [v for v in versions if v.valid_to_ms is None or v.valid_to_ms > effective_ms]
    earlier = [v for v in reaching if v.valid_from_ms < effective_ms]
    if len(reaching) == 1 and _stands(reaching[0], effective_ms) and reaching[0] == after:
        return Revision()
    revision = Revision(drop=[v.version for v in reaching if v.valid_from_ms >= effective_ms])
    if after is not None and earlier == [after]:
        if earlier[0].valid_to_ms is not None:
            revision.end[earlier[0].version] = None
        return revision
    revision.end.update({v.version: effective_ms for v in earlier})
    if after is not None:
        revision.add.append(replace(after, valid_from_ms=since_ms, valid_to_ms=None))
    return revision


def _stands(version: Validity, effective_ms: int) -> bool:
    return version.valid_to_ms is None and version.valid_from_ms <= effective_ms
