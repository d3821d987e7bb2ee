"""Check batches by time and device before they are stored."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from app.domain.timeseries import AHEAD_MS
from app.services.timeseries.retention_border import split_at_border
from app.services.timeseries.stores import IngestStores
from app.store.facility import Facility
from app.store.rollups import retention_borders
from app.store.timeseries import FrameBatch
from collectors.contract import DAY_MS, ContractError


class RejectedPart(NamedTuple):
    """The frames of a batch from one time to another that cannot be stored, and why."""

    error: ContractError
    first_ms: int
    last_ms: int


class Acceptance:
    """The checks of a request's batches by time and device. `unknown`: devices to create; `counts`: frames by fate."""

    def __init__(
        self, stores: IngestStores, facility: Facility, create: bool, only: AbstractSet[str] | None = None
    ) -> None:
        self._stores, self._facility, self._create, self._only = stores, facility, create, only
        self._now_ms = stores.now_ms()
        self._borders_ms: dict[str, int] | None = None
        self.unknown: list[str] = []
        self.counts: dict[str, int] = {}

    def check(self, batch: FrameBatch) -> tuple[FrameBatch, list[RejectedPart]]:
        """Return what of a batch can be stored, and the parts that cannot.

        Raises
        ------
        ContractError
            Nothing of it can be stored.
        """
        if self._only is not None and batch.layout.device not in self._only:
            detail = f"the token of this collector is not for {batch.layout.device}"
            raise ContractError("not_leased", detail, "an import needs a token without collector")
        if batch.layout.device not in self._facility.devices and not self._create:
            raise unknown_device(batch.layout.device)
        batch, parts = _without_future(batch, self._now_ms)
        if batch.layout.device not in self._facility.devices:
            self.unknown.append(batch.layout.device)
        if not len(batch.t_ms) or int(batch.t_ms[0]) >= self._now_ms - DAY_MS:  # no class is kept for less than a day
            return batch, parts
        if self._borders_ms is None:
            self._borders_ms = retention_borders(self._stores.engine)
        split = split_at_border(batch, self._borders_ms)
        if split.frames:
            self.counts["before_retention"] = self.counts.get("before_retention", 0) + split.frames
            parts.append(RejectedPart(split.error, split.first_ms, split.last_ms))
        return split.batch, parts


def _without_future(batch: FrameBatch, now_ms: int) -> tuple[FrameBatch, list[RejectedPart]]:
    """Return the frames of a batch that are not from the future, and the part that is.

    Raises
    ------
    ContractError
        All of them are from the future.
    """
    count = int(np.searchsorted(batch.t_ms, now_ms + AHEAD_MS, side="right"))
    if count == len(batch.t_ms):
        return batch, []
    first_ms, last_ms = int(batch.t_ms[count]), int(batch.t_ms[-1])
    error = ContractError(
        "future_time",
        f"{batch.layout.device}: {len(batch.t_ms) - count} readings are up to {(last_ms - now_ms) / 1000:.0f} s "
        "in the future",
        "set the clock of the device, the collector or the server; times are UTC in milliseconds",
    )
    if not count:
        raise error
    return replace(batch, t_ms=batch.t_ms[:count], values=batch.values[:count]), [
        RejectedPart(error, first_ms, last_ms)
    ]


def unknown_device(key: str) -> ContractError:
    """Return the error of a device that is not in the facility."""
    return ContractError(
        "unknown_device",
        f"device {key!r} is not in the facility",
        "add it to the facility, or send ?create=meter",
    )
