"""The answers of curves of places and devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from app.domain.timeseries import rfc3339
from app.models import EpochMs, PowerBasis, Share, StretchAnswer, Time, stretch_answer
from app.services.curves import DeviceCurves, DrawnCurve, PlaceCurve, PlaceKind, Resolution


class CurveFigures(TypedDict):
    """Figures of a curve in the window, in its unit, null where nothing is covered. `energy_j`: of a power [J]."""

    mean: float | None
    min: float | None
    max: float | None
    max_at: Time | None
    energy_j: float | None


class AnyCurve(TypedDict):
    """A curve: times and values in `unit`, a null value where the line breaks. `coverage`: the covered share."""

    key: str
    label: str
    source: str | None
    unit: Annotated[str, Field(examples=["W"])]
    coverage: Share
    statistics: CurveFigures
    t: Annotated[list[EpochMs], Field(description="milliseconds since 1970, UTC; of steps their begin")]
    v: list[float | None]


class MissingCurve(TypedDict):
    """A member that is not covered all the time: `device/point`, a node, or a rack."""

    key: str
    coverage: Share


class StepAnswer(StretchAnswer):
    """`resolution_s`: length of the steps whose means `v` are; null for single readings."""

    resolution_s: float | None
    downsampled: bool


class PlaceCurveAnswer(StepAnswer):
    """The power of a rack, room or site [W].

    `series`: `total`, and `known` if a member is missing at some time. `coverage`: of the members, all together.
    `made_of`: readings or minutes. `usable_w`: declared capacity of the racks.
    """

    kind: PlaceKind
    key: str
    label: str
    unit: Annotated[str, Field(examples=["W"])]
    series: list[AnyCurve]
    members: int
    missing: list[MissingCurve]
    coverage: Share
    made_of: Resolution
    power_basis: PowerBasis
    usable_w: float | None


class DeviceCurveAnswer(StepAnswer):
    """One quantity at points of a device. `power_basis`: null for other quantities than power."""

    device: str
    quantity: str
    unit: Annotated[str, Field(examples=["W"])]
    series: list[AnyCurve]
    power_basis: PowerBasis | None


class CurveColumn(TypedDict):
    """A column of a file. `unit` of the time: null, in JSON `ms`; `energy_j`: of a power over its covered time [J]."""

    name: str
    unit: str | None
    coverage: Annotated[float | None, Field(description="covered share of the window; null if there is none")]
    energy_j: float | None


class CurveFileSummary(StretchAnswer):
    """What a file of curves cannot say in its cells.

    `power_basis`: null where it is not about power, or not known of the whole file. `method`: of `energy_j`; null
    without a power.
    """

    what: str
    quantity: str
    power_basis: PowerBasis | None
    zone: str
    method: Literal["integral"] | None
    made_of: Resolution
    resolution_s: float | None
    columns: list[CurveColumn]


class CurveFile(CurveFileSummary):
    """Readings as JSON: the summary, and rows of values in the order of `columns`, times in ms UTC."""

    rows: list[list[float | None]]


def place_curve_answer(found: PlaceCurve, start_ms: int, end_ms: int, step_ms: int | None) -> dict[str, Any]:
    """Return the answer about a place."""
    series = [found.total] + ([found.known] if found.known else [])
    return {
        **_stretch(series, start_ms, end_ms, step_ms),
        "kind": found.kind,
        "key": found.key,
        "label": found.label,
        "unit": "W",
        "series": [_curve(one) for one in series],
        "members": found.members,
        "missing": [{"key": one.key, "coverage": one.coverage} for one in found.missing],
        "coverage": found.coverage,
        "made_of": found.resolution,
        "power_basis": found.power_basis,
        "usable_w": found.usable_w,
    }


def device_curve_answer(found: DeviceCurves, start_ms: int, end_ms: int, step_ms: int | None) -> dict[str, Any]:
    """Return the answer about a device."""
    return {
        **_stretch(found.series, start_ms, end_ms, step_ms),
        "device": found.device,
        "quantity": found.quantity.value,
        "unit": found.unit,
        "series": [_curve(one) for one in found.series],
        "power_basis": found.power_basis,
    }


def _stretch(series: Sequence[DrawnCurve], start_ms: int, end_ms: int, step_ms: int | None) -> dict[str, Any]:
    return {
        **stretch_answer(start_ms, end_ms),
        "resolution_s": None if step_ms is None else step_ms / 1000,
        "downsampled": any(one.downsampled for one in series),
    }


def _curve(one: DrawnCurve) -> dict[str, Any]:
    figures = one.statistics
    return {
        "key": one.key,
        "label": one.label,
        "source": one.source,
        "unit": one.unit,
        "coverage": one.coverage,
        "statistics": {
            "mean": figures.mean,
            "min": figures.min,
            "max": figures.max,
            "max_at": rfc3339(figures.max_at_ms),
            "energy_j": figures.energy_j,
        },
        "t": one.t_ms,
        "v": one.v,
    }
