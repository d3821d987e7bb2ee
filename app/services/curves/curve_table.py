"""Curves as tables: every reading, or the means of equal steps, streamed slice by slice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.domain.timeseries import LATEST_MS, Curve, rfc3339
from app.errors import NotFound
from app.services.curves.device_series import power_basis, read_series, require_mean, series_at
from app.services.curves.drawn_curve import in_steps
from app.services.curves.file_facts import Curves, file_facts
from app.services.curves.place_curve import place_power
from app.services.curves.place_members import (
    PlaceKind,
    Resolution,
    member_names,
    racks_of,
    read_members,
    require_minutes,
    resolution_of,
)
from app.services.curves.stores import CurveStores
from app.services.energy import NodePower, gpu_quantities, read_node_power
from app.services.files import ReadingTable, TableColumn, TableSlice, aligned, in_slices
from app.store.timeseries import Times, Values
from collectors.contract import DAY_MS, UNIT, Quantity

SUFFIX: Mapping[Quantity, str] = {
    Quantity.POWER: "power_w",
    Quantity.APPARENT_POWER: "apparent_power_va",
    Quantity.REACTIVE_POWER: "reactive_power_var",
    Quantity.CURRENT: "current_a",
    Quantity.VOLTAGE: "voltage_v",
    Quantity.POWER_FACTOR: "power_factor",
    Quantity.FREQUENCY: "frequency_hz",
    Quantity.ENERGY: "energy_j",
    Quantity.TEMPERATURE: "temperature_c",
    Quantity.HUMIDITY: "humidity_pct",
    Quantity.UTILIZATION: "utilization_pct",
    Quantity.POWER_LIMIT: "power_limit_w",
    Quantity.STATE: "state",
}
STEPS_PER_SLICE = 5_000


@dataclass(frozen=True)
class CurveTable(ReadingTable):
    """The curves of one thing in a window [ms].

    `facts`: makes what the file states about itself, which reads the whole window.
    """

    name: str
    span: tuple[int, int]
    facts: Callable[[], Mapping[str, Any]]


def place_table(
    stores: CurveStores, kind: PlaceKind, key: str, start_ms: int, end_ms: int, step_ms: int | None = None
) -> CurveTable:
    """Return the power of a place and of its members, with the facility as it was.

    Raises
    ------
    NotFound
        There was no such place at the end of the window.
    """
    resolution = resolution_of(stores, kind, key, start_ms, end_ms) if step_ms else "readings"
    require_minutes(resolution, step_ms)
    if step_ms is None:
        racks_of(stores.facility.at(end_ms), kind, key)
    names, derived = member_names(stores, kind, key, start_ms, end_ms, resolution)

    def curves(a: int, b: int) -> Mapping[str, Curve | None]:
        members = read_members(stores, kind, key, a, b, resolution, step_ms, by_rack=True)
        total, known = place_power(members, a, b, b)
        return {"": total, "known": total if known is None else known} | {
            f"member {name}": members.curves.get(name) for name in names
        }

    columns = {"": ("power_w", "W"), "known": ("known power_w", "W")}
    columns |= {f"member {name}": (f"{name} power_w", "W") for name in names}
    facts = {"what": f"{kind} {key}", "power_basis": _basis_of(derived, names)}
    span = start_ms, end_ms
    recorded = _recorded(stores) if resolution == "readings" else (0, LATEST_MS)
    return _table(f"{kind}-{key}", columns, curves, span, recorded, step_ms, facts, resolution)


def node_table(stores: CurveStores, node: str, start_ms: int, end_ms: int, step_ms: int | None = None) -> CurveTable:
    """Return the power of a node, of its cords and of its BMC, and power and utilization of its GPUs.

    Raises
    ------
    NotFound
        There was no such node at the end of the window.
    """
    facility = stores.facility.at(end_ms)
    if node not in facility.nodes:
        raise NotFound(f"there is no node {node!r}", "GET /api/v1/nodes lists them")

    def curves(a: int, b: int) -> Mapping[str, Curve | None]:
        return _of_node(read_node_power(stores, node, a, b, parts=True))

    cords = dict.fromkeys(feed.key for feed in stores.facility.feeds(node, start_ms, end_ms))
    names = ["", *(f"feed {key}" for key in cords), *(["bmc"] if facility.devices_of(node, "bmc") else [])]
    names += [
        f"{'gpu' if quantity == Quantity.POWER.value else 'load'} {point}"
        for point, quantity in gpu_quantities(stores, node, start_ms)
    ]
    columns = {name: _node_column(name) for name in names}
    span, recorded = (start_ms, end_ms), _recorded(stores)
    return _table(f"node-{node}", columns, curves, span, recorded, step_ms, {"what": f"node {node}"})


def device_table(
    stores: CurveStores,
    device: str,
    points: Sequence[str],
    quantity: Quantity,
    start_ms: int,
    end_ms: int,
    step_ms: int | None = None,
) -> CurveTable:
    """Return one quantity at points of a device; raises as `device_curves` does."""
    require_mean(quantity, step_ms)
    infos = series_at(stores, device, points, quantity)

    def curves(a: int, b: int) -> Mapping[str, Curve | None]:
        found = read_series(stores, infos, quantity, a, b)
        return {info.point: found[info.key] for info in infos}

    columns = {info.point: (f"{info.point} {SUFFIX[quantity]}", UNIT[quantity]) for info in infos}
    facts = {"what": f"device {device}", "quantity": quantity.value, "power_basis": power_basis(infos, quantity)}
    point = f"-{points[0].replace('/', '-')}" if len(points) == 1 else ""
    name, recorded = f"{device}{point}-{quantity.value}", _recorded(stores, [device])
    return _table(name, columns, curves, (start_ms, end_ms), recorded, step_ms, facts)


def _recorded(stores: CurveStores, devices: Sequence[str] | None = None) -> tuple[int, int]:
    """Return a time outside of which (some) devices have no readings: a window may begin in 1970."""
    span = stores.frames.span(devices or {info.device for info in stores.frames.series()})
    return (span[0] - DAY_MS, span[1] + DAY_MS) if span else (0, 0)


def _table(
    name: str,
    columns: Mapping[str, tuple[str, str]],
    curves: Curves,
    span: tuple[int, int],
    recorded: tuple[int, int],
    step_ms: int | None,
    facts: Mapping[str, object],
    resolution: Resolution = "readings",
) -> CurveTable:
    titles = {key: TableColumn(title, unit) for key, (title, unit) in columns.items()}
    further = [] if step_ms is None else [TableColumn("coverage", "1")]
    names = list(columns)
    if step_ms is None:
        rows = _readings(names, curves, max(span[0], recorded[0]), min(span[1], recorded[1]))
    else:
        rows = _steps(names, curves, *span, step_ms, recorded)
    known = {**facts, "made_of": resolution, "resolution_s": None if step_ms is None else step_ms / 1000}

    def about() -> Mapping[str, Any]:
        return {**file_facts(titles, further, curves, span, recorded), **known}

    return CurveTable([*titles.values(), *further], rows, f"{name}-{_day(span[0])}", span, about)


def _readings(names: Sequence[str], curves: Curves, start_ms: int, end_ms: int) -> Iterator[TableSlice]:
    def rows(a: int, b: int, before: int) -> TableSlice:
        found = curves(a, b)
        return aligned([_measured(found.get(name), a, before) for name in names])

    return in_slices(rows, start_ms, end_ms)


def _measured(curve: Curve | None, start_ms: int, before_ms: int) -> tuple[Times, Values]:
    if curve is None:
        return np.empty(0, np.int64), np.empty(0)
    inside = curve.is_sample & (curve.t_ms >= start_ms) & (curve.t_ms < before_ms)
    return curve.t_ms[inside], curve.v[inside]


def _steps(
    names: Sequence[str], curves: Curves, start_ms: int, end_ms: int, step_ms: int, recorded: tuple[int, int]
) -> Iterator[TableSlice]:
    """Yield means over steps on multiples of the step; `coverage` is the covered share of the first column."""
    most = STEPS_PER_SLICE * step_ms
    at = start_ms
    while at < end_ms:
        is_empty = at >= recorded[1] or at + most <= recorded[0]
        length = most if is_empty else max(step_ms, min(DAY_MS, most) // step_ms * step_ms)
        until = min(at // length * length + length, end_ms)
        found = {} if is_empty else curves(at, until)
        steps = [in_steps(found.get(name) or Curve.empty(), at, until, step_ms) for name in names]
        wanted = np.minimum(steps[0].t_ms + step_ms, until) - np.maximum(steps[0].t_ms, at)
        values = [one.mean for one in steps] + [steps[0].covered_ms / wanted]
        yield TableSlice(steps[0].t_ms, np.stack(values, axis=1))
        at = until


def _of_node(power: NodePower) -> Mapping[str, Curve | None]:
    found: dict[str, Curve | None] = {"": power.total}
    found |= {f"feed {key}": curve for key, curve in power.feeds.items()}
    if power.bmc is not None:
        found["bmc"] = power.bmc
    found |= {f"gpu {point}": curve for point, curve in power.gpus.items()}
    return found | {f"load {point}": curve for point, curve in power.gpu_utilization.items()}


def _node_column(name: str) -> tuple[str, str]:
    kind, _, key = name.partition(" ")
    if kind == "load":
        return f"{key} utilization_pct", "%"
    return f"{key or kind} power_w".strip(), "W"


def _basis_of(derived: frozenset[str], names: Sequence[str]) -> str:
    return "measured" if not derived else "derived" if derived >= set(names) else "mixed"


def _day(t_ms: int) -> str:
    return str(rfc3339(t_ms))[:10]
