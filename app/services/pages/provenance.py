"""Find the meters that a job's energy was measured with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.services.energy import registers_only
from app.services.jobs import JobPower
from app.store.facility import PowerConnection
from app.store.timeseries import SeriesInfo
from collectors.contract import Quantity


@dataclass(frozen=True)
class Provenance:
    """The cords of a job's nodes, the power series or registers of these, and the exporters that measured its GPUs."""

    cords: Sequence[PowerConnection]
    meters: Sequence[SeriesInfo]
    exporters: Sequence[str]


def provenance_of(power: JobPower) -> Provenance:
    """Return what measured a job."""
    facility, frames = power.inputs.facility, power.inputs.frames
    spans = [(part.power.node, part.power.start_ms, part.power.end_ms) for part in power.parts]
    cords = [cord for span in spans for cord in facility.powering(*span)]
    points = {cord.key for cord in cords}
    infos = [i for i in frames.series(sorted({cord.device for cord in cords})) if f"{i.device}/{i.point}" in points]
    meters = [info for info in infos if info.quantity is Quantity.POWER]
    meters += registers_only(infos, lambda _: True).values()
    then = facility.at(power.job.start_ms)
    measured = [part.power.node for part in power.parts if part.power.gpus]
    exporters = sorted({device.key for node in measured for device in then.devices_of(node, "exporter")})
    return Provenance(cords, meters, exporters)
