"""Readings from before the retention border: the readings around them are deleted, so they are not stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.domain.timeseries import CLASSES, rfc3339
from app.store.timeseries import FrameBatch
from collectors.contract import ContractError, Layout


@dataclass(frozen=True)
class RetentionSplit:
    """A batch without the readings from before the border, and the frames that had some: how many, first, last [ms]."""

    batch: FrameBatch
    frames: int = 0
    first_ms: int = 0
    last_ms: int = 0
    classes: tuple[str, ...] = ()
    before_ms: int = 0

    @property
    def error(self) -> ContractError:
        """What was rejected."""
        device, what = self.batch.layout.device, " and ".join(self.classes)
        return ContractError(
            "before_retention",
            f"{device}: {self.frames} frames have readings from before {rfc3339(self.before_ms)}, "
            f"where readings of {what} are deleted",
            "they cannot be stored any more; WATTLINE_KEEP says how long readings are kept",
        )


def split_at_border(batch: FrameBatch, borders_ms: Mapping[str, int]) -> RetentionSplit:
    """Return a batch without the readings of classes whose border [ms] is later; frames without any other are left out.

    A late reading among deleted ones would be taken for the whole of its day.
    """
    before = _before_ms(batch.layout, borders_ms)
    if not len(batch.t_ms) or int(batch.t_ms.min()) >= int(before.max()):
        return RetentionSplit(batch)
    late = batch.t_ms[:, None] < before[None, :]
    kept = np.where(late, np.nan, batch.values)
    lost = (late & np.isfinite(batch.values)).any(axis=1) | late.all(axis=1)
    stored = ~lost | np.isfinite(kept).any(axis=1)
    late_classes = {kind for kind, quantities in CLASSES.items() for i in np.flatnonzero(late.any(axis=0))
                    if batch.layout.series[i].quantity in quantities}  # fmt: skip
    return RetentionSplit(
        replace(batch, t_ms=batch.t_ms[stored], values=kept[stored]),
        int(lost.sum()),
        *_ends(batch.t_ms[lost]),
        tuple(sorted(late_classes)),
        int(before.max()),
    )


def _ends(t_ms: NDArray[np.int64]) -> tuple[int, int]:
    return (int(t_ms[0]), int(t_ms[-1])) if len(t_ms) else (0, 0)


def _before_ms(layout: Layout, borders_ms: Mapping[str, int]) -> NDArray[np.int64]:
    """Return the border of each series [ms]; 0 where readings are kept forever."""
    of = {quantity: borders_ms.get(kind, 0) for kind, quantities in CLASSES.items() for quantity in quantities}
    return np.array([of[series.quantity] for series in layout.series], np.int64)
