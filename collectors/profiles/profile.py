"""A device profile: the values of a device family and how to decode them, as data.

A profile is one TOML file that a technician can review: one line a value. It holds no logic and no
credentials. `_blueprint.toml` explains every key. `parse` checks everything that can be checked without a
device and reports all mistakes of a file at once.

Shape: what every profile says (`Profile`), how a device is recognised (`identify`), and points tables
(`collectors/profiles/points.py`).
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError, field_validator

from collectors.contract import NAME, Quantity
from collectors.errors import ProfileError
from collectors.profiles.accuracy_class import AccuracyClass, LimitsOverCurrent
from collectors.profiles.ipmi_points import IpmiIdentity, IpmiPoints
from collectors.profiles.metric_points import MetricPoints
from collectors.profiles.modbus_points import ModbusIdentity, ModbusPoints
from collectors.profiles.points import Oid, SnmpPoints, Strict, Value
from collectors.profiles.profile_checks import check
from collectors.profiles.redfish_points import RedfishIdentity, RedfishPoints
from collectors.profiles.scpi_points import ScpiIdentity, ScpiPoints
from collectors.profiles.trap_lines import Trap


class TextField(Strict):
    """A text or number that identifies a device; the first group of `pattern` is the relevant part."""

    oid: Oid
    pattern: str = "(.*)"

    def cut(self, text: str) -> str:
        """Return the relevant part of a text; empty if the pattern does not match."""
        found = re.search(self.pattern, text)
        return found[1] if found else ""


class SnmpIdentity(Strict):
    """Match a device whose sysObjectID begins with one of these, that has one of the objects `probe` or an object below
    one of them, or that has rows in the tables of the profile; but not if it has objects below one of `absent`.

    `breadth`: 0 one maker's family, else a generic profile of a standard: it is asked last and read beside the profile
    of a maker. 1: the standard names places (UPS-MIB); a value is added unless its quantity is read at this place. 2:
    it does not (ENTITY-SENSOR-MIB); a value is added unless its quantity is read anywhere.
    """

    sys_object_id: tuple[Oid, ...] = ()
    probe: tuple[Oid, ...] = Field(min_length=1)
    absent: tuple[Oid, ...] = ()
    breadth: int = Field(default=0, ge=0, le=2)
    model: TextField | None = None

    @field_validator("probe", mode="before")
    @classmethod
    def _one_or_several(cls, given: object) -> object:
        return (given,) if isinstance(given, str) else given


class MetricIdentity(Strict):
    """Match an exposition with a metric of this name, or of one of the `alternatives`."""

    metric: str
    alternatives: tuple[str, ...] = ()

    @property
    def metrics(self) -> frozenset[str]:
        """Return every accepted name."""
        return frozenset((self.metric, *self.alternatives))


class PollGroup(Strict):
    """Points that are read together, at most every `interval_s`."""

    interval_s: float = Field(gt=0)


class Profile(Strict):
    """Common part of all profiles.

    `accuracy_pct`: limit of error of each quantity the maker states one for [% of reading]; a value may say its own.
    """

    name: Annotated[str, Field(pattern=f"^{NAME.pattern}$")]
    vendor: str
    family: str
    evidence: Literal["capture", "documents"]
    sources: tuple[str, ...] = Field(min_length=1)
    caveats: tuple[str, ...] = ()
    interval_s: float = Field(default=10.0, gt=0)
    min_interval_s: float = Field(default=1.0, gt=0)
    accuracy_pct: dict[Quantity, Annotated[float, Field(gt=0, allow_inf_nan=False)]] = Field(default_factory=dict)
    groups: dict[str, PollGroup] = Field(default_factory=dict)

    def limit_pct(self, value: Value) -> float | None:
        """Return the limit of error of a value [% of reading]; None if the maker states none."""
        return value.accuracy_pct or self.accuracy_pct.get(value.quantity)

    def group_interval_s(self, group: str, device_interval_s: float) -> float:
        """Return the interval of a group: that of the device, but never below the minimum of the profile."""
        slowest = self.groups[group].interval_s if group in self.groups else 0.0
        return max(device_interval_s, self.min_interval_s, slowest)


class SnmpProfile(Profile):
    """A family of SNMP agents."""

    protocol: Literal["snmp"]
    identify: SnmpIdentity
    max_repetitions: int = Field(default=10, ge=1, le=100)
    max_varbinds: int = Field(default=24, ge=1, le=100)
    max_packets_s: float = Field(default=50.0, gt=0)
    traps: tuple[Trap, ...] = ()
    points: tuple[SnmpPoints, ...] = Field(min_length=1)

    @property
    def is_generic(self) -> bool:
        """Return whether it reads a standard that many makers follow, rather than one maker's objects."""
        return self.identify.breadth > 0

    @property
    def columns(self) -> dict[str, bool]:
        """Return the objects whose values it reads, each with whether it is a scalar (instance .0)."""
        return {points.full(value.oid): not points.index for points in self.points for value in points.values}


class ModbusProfile(Profile):
    """A family of Modbus meters.

    With `sunspec` (the possible addresses of the "SunS" mark) all addresses count from the first register of the
    SunSpec model that `identify` fits.

    `accuracy_class`: class of each quantity the maker states one for, whose limits depend on the current.
    `basic_current_a`: basic or reference current of the meters that are connected without transformers [A].
    """

    protocol: Literal["modbus"]
    identify: ModbusIdentity
    max_block: int = Field(default=125, ge=1, le=125)
    max_gap: int = Field(default=0, ge=0, le=124)
    holes: tuple[tuple[int, int], ...] = ()
    sunspec: tuple[int, ...] = ()
    accuracy_class: dict[Quantity, AccuracyClass] = Field(default_factory=dict)
    basic_current_a: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    points: tuple[ModbusPoints, ...] = Field(min_length=1)

    def limit_pct(self, value: Value) -> float | None:
        """Return the limit of error of a value [% of reading], of a class that at full load; None without one."""
        own = self.accuracy_class.get(value.quantity)
        return super().limit_pct(value) or (own.full_load_pct if own else None)

    def limits_over_current(self, value: Value, ct_primary_a: float | None = None) -> LimitsOverCurrent | None:
        """Return the limits of error of a value over the current of a line; None if they are the same at every load or
        the rated current is not known."""
        own = self.accuracy_class.get(value.quantity)
        return own.limits(self.basic_current_a, ct_primary_a) or None if own and not value.accuracy_pct else None


class OpenMetricsProfile(Profile):
    """A kind of exporter.

    With `samples` (a path) it keeps what it sampled and hands out everything since a cursor there; the metrics of the
    points are then columns of that answer.
    """

    protocol: Literal["openmetrics"]
    identify: MetricIdentity
    samples: str = ""
    points: tuple[MetricPoints, ...] = Field(min_length=1)


class RedfishProfile(Profile):
    """A kind of Redfish service."""

    protocol: Literal["redfish"]
    identify: RedfishIdentity
    points: tuple[RedfishPoints, ...] = Field(min_length=1)


class IpmiProfile(Profile):
    """A kind of BMC over IPMI."""

    protocol: Literal["ipmi"]
    identify: IpmiIdentity
    points: tuple[IpmiPoints, ...] = Field(min_length=1)


class ScpiProfile(Profile):
    """A family of bench meters that speak SCPI.

    They are sampled every `sample_s`, or as seldom as the answer to `rate_query` says that they measure [s].

    `accuracy_range_pct`: the part of the limit of error that is a share of the range [%]. The limits are valid if each
    query of `range_conditions` answers the number beside it. `range_queries` return the ranges, which multiplied are
    the range of power.
    """

    protocol: Literal["scpi"]
    identify: ScpiIdentity
    sample_s: float = Field(default=0.1, gt=0)
    rate_query: str = ""
    accuracy_range_pct: dict[Quantity, Annotated[float, Field(gt=0, allow_inf_nan=False)]] = Field(default_factory=dict)
    range_queries: dict[Literal["voltage", "current"], str] = Field(default_factory=dict)
    range_conditions: dict[str, float] = Field(default_factory=dict)
    points: tuple[ScpiPoints, ...] = Field(min_length=1)


AnyProfile = SnmpProfile | ModbusProfile | OpenMetricsProfile | RedfishProfile | IpmiProfile | ScpiProfile
_ADAPTER: TypeAdapter[AnyProfile] = TypeAdapter(Annotated[AnyProfile, Field(discriminator="protocol")])


def load(path: Path) -> AnyProfile:
    """Load a profile from a file.

    Raises
    ------
    ProfileError
        With every mistake in the file.
    """
    return parse(path.read_text(encoding="utf-8"), path.name)


def parse(text: str, source: str = "profile") -> AnyProfile:
    """Parse a profile from TOML text; see `load`."""
    try:
        profile = _ADAPTER.validate_python(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(source, [f"invalid TOML: {error}"]) from None
    except ValidationError as error:
        raise ProfileError(source, [_mistake(e["loc"], e["msg"]) for e in error.errors()]) from None
    if mistakes := check(profile):
        raise ProfileError(source, mistakes)
    return profile


def _mistake(where: tuple[int | str, ...], message: str) -> str:
    """Format one validation error: `points[2].values[0].unit: …`."""
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in where[1:]).lstrip(".")
    text = "unknown key" if message.startswith("Extra inputs") else re.sub(r"^Value error, ", "", message)
    return f"{path or 'profile'}: {text}"
