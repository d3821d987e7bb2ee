"""`python -m tests.conformance.snmp.supported_devices` writes docs/supported-devices.md from profiles and captures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from collectors.profiles.points import Value
from collectors.profiles.profile import AnyProfile
from collectors.profiles.registry import catalogue
from tests.conformance.snmp.snmp_coverage import Coverage, coverages
from tests.conformance.snmp.snmp_expectations import Miss
from tests.paths import DOCS

PAGE = DOCS / "supported-devices.md"
_PROTOCOLS = {
    "snmp": "SNMP",
    "modbus": "Modbus",
    "openmetrics": "OpenMetrics",
    "redfish": "Redfish",
    "ipmi": "IPMI",
    "scpi": "SCPI",
}
_OUTLET, _BRANCH = re.compile(r"outlet"), re.compile(r"bank|branch|circuit|breaker")
_PHASE = re.compile(r"(^|/)(l(ine)?\d|l\{|line/|phase|load/)")
_QUANTITIES = (
    "power", "apparent_power", "reactive_power", "current", "voltage", "power_factor", "frequency", "energy",
    "temperature", "humidity", "utilization", "power_limit", "state",
)  # fmt: skip

HEAD = """# Supported devices

Generated from the device profiles and from the recordings of real devices they are tested against
(`python -m tests.conformance.snmp.supported_devices`); do not edit it by hand.

`wattline probe snmp://10.0.0.7` selects the profile automatically and prints the values it could and could not read.
If no profile matches, it suggests the closest one, which `--profile NAME` tries. For a meter without a profile,
`wattline probe "modbus://10.0.0.8:502?unit=1" --explore --draft my-meter.toml` finds all registers of the unit,
recognizes voltage, current, power, power factor and energy by their relations (V · A = VA, the lines add up to the
total, a counter rises by power × time), and writes a profile draft with these reasons; `&register=3059` in the address
shows one register in every possible type and word order.

*Generic* profiles read standard MIBs, also beside the profile of a family for what that lacks; quantities that a
recording gave that way are listed with the family.

*Recording*: a recording of a real device of the family is served over the network and read by the collector's driver;
"n of m" expected values are met, the others are listed below. *Documents*: the numbers come from the maker's MIB or
manual, and no recording confirms them yet. For every SNMP profile a test reads each listed quantity from objects of the
form that the profile describes. Recordings and expected values come from the tests of the LibreNMS project;
they are read in place and are not part of Wattline.

*Accuracy*: the maker's limits of error in % of the reading, and what adds to it whatever the reading is (a digit, a
share of the range), from a document that the profile names; for the conditions see the notes on each family. The field
is empty if no document of the maker was available or if it states no percentage of the reading: values of such a meter
have no ±.
"""


def page() -> str:
    """Return the page."""
    read = coverages()
    parts = [HEAD, "\n".join(_totals(read.values()))]
    for protocol, title in _PROTOCOLS.items():
        profiles = sorted((p for p in catalogue().values() if p.protocol == protocol), key=_order)
        parts.append("\n".join([f"## {title}: {len(profiles)} families", "", *_table(profiles, read)]))
    parts += ["\n".join(_misses(read.values())), "\n".join(_notes())]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _totals(read: Iterable[Coverage]) -> Iterator[str]:
    found = list(read)
    expected, wrong = sum(c.expected for c in found), sum(c.wrong for c in found)
    met, explained = sum(len(c.met) for c in found), sum(len(c.explained) for c in found)
    yield "| Values of power, current, voltage, energy, power factor, frequency and temperature | |"
    yield "|---|---|"
    yield f"| expected of {len(found)} SNMP recordings | {expected} |"
    yield f"| met, of all expected | {met} of {expected} ({100 * met / expected:.1f} %) |"
    share = f"{met} of {expected - wrong} ({100 * met / (expected - wrong):.1f} %)"
    yield f"| met, of those consistent with the maker's MIB and the recording | {share} |"
    yield f"| wrong: contradict the maker's MIB or the recording, see below | {wrong} |"
    yield f"| intentionally not read | {explained - wrong} |"
    yield f"| not met, unexplained | {expected - met - explained} |"


def _order(profile: AnyProfile) -> tuple[bool, str, str]:
    return profile.vendor == "Various", profile.vendor.casefold(), profile.family.casefold()


def _table(profiles: Iterable[AnyProfile], read: dict[str, Coverage]) -> Iterator[str]:
    yield "| Vendor | Family | Profile | Quantities | Outlets | Phases | Branches | Accuracy | Tested against |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for profile in profiles:
        recordings = [c for c in read.values() if c.profile == profile.name]
        quantities = {value.quantity.value for points in profile.points for value in points.values}
        quantities |= {reading.quantity for c in recordings for reading in c.readings}
        shown = ", ".join(name.replace("_", " ") for name in _QUANTITIES if name in quantities)
        points = {points.point for points in profile.points}
        points |= {reading.key.partition(":")[0] for c in recordings for reading in c.readings}
        places = " | ".join("yes" if any(map(place.search, points)) else "" for place in (_OUTLET, _PHASE, _BRANCH))
        tested = _tested(profile, recordings)
        head = f"{profile.vendor} | {profile.family} | `{profile.name}`{_generic(profile)} | {shown}"
        yield f"| {head} | {places} | {_accuracy(profile)} | {tested} |"


def _accuracy(profile: AnyProfile) -> str:
    """Format the limits of error of the maker, the widest first; empty if none is stated."""
    limits: dict[tuple[float, str], set[str]] = {}
    for value in (value for points in profile.points for value in points.values):
        if limit := profile.limit_pct(value):
            limits.setdefault((limit, _constant(profile, value)), set()).add(value.quantity.value)
    named = (
        (limit, constant, [q.replace("_", " ") for q in _QUANTITIES if q in limits[limit, constant]])
        for limit, constant in sorted(limits)[::-1]
    )
    return "; ".join(
        f"±{f'({limit:g} % + {constant})' if constant else f'{limit:g} %'} {', '.join(names)}"
        for limit, constant, names in named
    )


def _constant(profile: AnyProfile, value: Value) -> str:
    """Format what adds to a limit in % of the reading; empty if nothing does."""
    if profile.protocol == "scpi" and (share := profile.accuracy_range_pct.get(value.quantity)):
        return f"{share:g} % of range"
    return f"{value.accuracy_abs:g} {value.unit}" if value.accuracy_abs else ""


def _generic(profile: AnyProfile) -> str:
    return " (generic)" if profile.protocol == "snmp" and profile.is_generic else ""


def _tested(profile: AnyProfile, captures: list[Coverage]) -> str:
    """Return what a profile was checked against."""
    if profile.evidence == "documents":
        return "documents"
    expected, met = sum(c.expected for c in captures), sum(len(c.met) for c in captures)
    many = f"{len(captures)} recordings" if len(captures) > 1 else "recording"
    if profile.protocol == "redfish":
        return "recordings and mock-ups of services"
    return f"{many}: {met} of {expected}" if expected else many


def _misses(read: Iterable[Coverage]) -> Iterator[str]:
    yield "## Expected values that are not met"
    yield ""
    yield "*Wrong*: the expected value contradicts the maker's MIB or the recording. *Left out*: a correct number"
    yield "that is not a current measurement, or whose unit is unknown. The evidence lists the raw values; the"
    yield "tests look them up in the recording."
    yield ""
    yield "| Recording | Values | Kind | Why | Evidence |"
    yield "|---|---|---|---|---|"
    for coverage in read:
        counts: dict[Miss, int] = {}
        for _, miss in coverage.explained:
            counts[miss] = counts.get(miss, 0) + 1
        for miss, count in counts.items():
            cells = (coverage.capture, str(count), miss.kind, miss.why, " ".join(_evidence(miss)))
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _evidence(miss: Miss) -> Iterator[str]:
    """Yield the evidence for a miss: a text, raw values of the recording, a link to the MIB."""
    yield miss.evidence
    shown = [f"`{oid}` = {raw}" for oid, raw in miss.shows] + [f"`{oid}` does not exist" for oid in miss.absent]
    if shown:
        yield f"Recording: {', '.join(shown)}."
    if miss.mib:
        yield f"[MIB]({miss.mib})"


def _notes() -> Iterator[str]:
    yield "## Notes on each family"
    for profile in sorted(catalogue().values(), key=_order):
        if profile.caveats or _notifications(profile):
            yield ""
            yield f"**{profile.vendor}: {profile.family}** (`{profile.name}`)"
            yield ""
            yield from (f"- {caveat}" for caveat in profile.caveats)
            yield from _notifications(profile)
            yield from _sensors(profile)


def _notifications(profile: AnyProfile) -> list[str]:
    """Return a line with the notifications that have a name."""
    kinds = dict.fromkeys(trap.kind for trap in profile.traps) if profile.protocol == "snmp" else {}
    return [f"- Notifications named: {', '.join(kind.replace('_', ' ') for kind in kinds)}."] if kinds else []


def _sensors(profile: AnyProfile) -> Iterator[str]:
    """Yield the meaning of each sensor of an exporter or a BMC."""
    if profile.protocol == "openmetrics":
        values = (value for points in profile.points for value in points.values if value.sensor)
        yield from dict.fromkeys(f"- `{value.metric}`: {value.sensor}." for value in values)
    if profile.protocol == "redfish":
        lines = ((points.at, value) for points in profile.points for value in points.values if value.sensor)
        yield from dict.fromkeys(f"- `{at}` `{value.property}`: {value.sensor}." for at, value in lines)
    if profile.protocol == "ipmi":
        yield from (f"- {v.reading}: {v.sensor}." for points in profile.points for v in points.values)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
