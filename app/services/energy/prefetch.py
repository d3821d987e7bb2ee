"""Read the series of many nodes at once, for functions that ask for one series at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from app.domain.timeseries import TimeWindow
from app.errors import Invalid
from app.services.energy.registers_only import around_quarters, registers_only
from app.services.energy.stores import EnergyStores
from app.store.facility import Facility, FacilityStore, StillFacility
from app.store.timeseries import ReadingSource, Samples, SeriesInfo
from collectors.contract import Quantity


class PrefetchedReadings:
    """The readings of some series in one window; other series do not exist here.

    A read inside the window returns what the store would return, and the samples around it.
    """

    def __init__(self, infos: Iterable[SeriesInfo], samples: Mapping[str, Samples]) -> None:
        self._infos: dict[str, list[SeriesInfo]] = defaultdict(list)
        for info in infos:
            self._infos[info.device].append(info)
        self._samples = samples

    def series(self, device: str | Collection[str] | None = None) -> list[SeriesInfo]:
        """Return the prefetched series (of a device, or of several)."""
        devices = [device] if isinstance(device, str) else self._infos if device is None else device
        return [info for key in devices for info in self._infos.get(key, ())]

    def read(self, keys: Sequence[str], start_ms: int, end_ms: int) -> dict[str, Samples]:
        """Return prefetched samples; those outside [start, end) are included."""
        return {key: self._samples.get(key) or Samples.empty() for key in keys}


@dataclass(frozen=True)
class PrefetchedStores:
    """Prefetched readings, and the facility they belong to."""

    frames: ReadingSource
    facility: FacilityStore


def prefetch_readings(
    stores: EnergyStores,
    known: Sequence[SeriesInfo],
    wanted: Callable[[SeriesInfo], bool],
    start_ms: int,
    end_ms: int,
    most_readings: int | None = None,
) -> PrefetchedStores:
    """Read those of the known series of [start, end) that are wanted, in one go; energy registers only of points that
    report no power.

    Raises
    ------
    Invalid
        By their intervals these are more than `most_readings`.
    """
    registers = [info for info in registers_only(known, lambda _: True).values() if wanted(info)]
    infos = [info for info in known if info.quantity is not Quantity.ENERGY and wanted(info)]
    _require_few(infos, end_ms - start_ms, most_readings)
    samples = stores.frames.read([info.key for info in infos], start_ms, end_ms)
    if registers:
        keys = [info.key for info in registers]
        samples |= stores.frames.read(keys, *around_quarters(start_ms, end_ms))
    return PrefetchedStores(PrefetchedReadings([*infos, *registers], samples), stores.facility)


def _require_few(infos: Sequence[SeriesInfo], length_ms: int, most: int | None) -> None:
    readings = sum(length_ms // info.interval_ms for info in infos)
    if most is not None and readings > most:
        raise Invalid(
            f"{len(infos)} series have up to {readings:,} readings in this window, more than {most:,}",
            "give a shorter window or one rack",
            code="too_many_readings",
        )


def prefetch_racks(
    stores: EnergyStores,
    facility: Facility,
    racks: Collection[str] | None,
    quantities: Container[Quantity],
    window: TimeWindow,
    *,
    registers: bool = True,
    most_readings: int | None = None,
) -> PrefetchedStores:
    """Read the quantities of some racks (None: of all) in one go, and keep the facility as it is known now.

    Power includes the registers of points that report no power, unless `registers` is false. Raises as
    `prefetch_readings`.
    """
    devices = facility.devices.keys() if racks is None else _devices_around(facility, racks)
    still = PrefetchedStores(stores.frames, StillFacility(stores.facility))

    def is_wanted(info: SeriesInfo) -> bool:
        quantity = Quantity.POWER if registers and info.quantity is Quantity.ENERGY else info.quantity
        return info.device in devices and quantity in quantities

    return prefetch_readings(still, still.frames.series(), is_wanted, window.start_ms, window.end_ms, most_readings)


def _devices_around(facility: Facility, racks: Collection[str]) -> Set[str]:
    """Return the devices in some racks, those that power or measure their nodes, and all others of these nodes."""
    inside = {node.key for rack in racks for node in facility.nodes_in(rack)}
    pdus = {d.key for d in facility.devices.values() if d.rack in racks} | _powering(facility, inside)
    connected = inside | {node for node in facility.nodes if pdus & _powering(facility, {node})}
    sharing = {other for node in connected if (supply := facility.supply_of(node)) for other in supply.nodes}
    near = connected | sharing
    before = {
        point.partition("/")[0] for key in pdus & facility.devices.keys() for point in facility.devices[key].branches
    }
    return pdus | before | _powering(facility, near) | {d.key for d in facility.devices.values() if d.node in near}


def _powering(facility: Facility, nodes: Set[str]) -> set[str]:
    return {feed.device for node in nodes for feed in facility.powering(node)}
