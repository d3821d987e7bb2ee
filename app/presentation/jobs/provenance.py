"""How a job's energy was measured: meters, method, coverage, gaps, and other figures of it, as labels and texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from app.domain.energy import FEW_READINGS
from app.domain.timeseries import gaps, window
from app.models import TimeMs, sent_as
from app.presentation.jobs.energy_comparison_text import comparison_facts, cost_facts
from app.presentation.jobs.sharing_text import sharing
from app.presentation.text import THIN, count, coverage, energy, names, num, past, shown_time, signed
from app.services.jobs import JobPower
from app.services.pages import Provenance, interval_ms
from app.store.facility import PowerConnection
from app.store.jobs import Job, Summary
from app.store.timeseries import SeriesInfo

MOST_GAPS = 6
_CALIBERS = {"actual": "actual: measured", "estimated": "estimated: parts of the node only"}
_NO_READING = "estimated: no reading inside the run"
"""RFC 7460, section 2.6."""
_SHARE = "estimated: a share of measured nodes"
_SOURCES = {
    "pdu": "metered outlets",
    "meter": "a meter",
    "bmc": "the BMC of the node",
    "components": "components only: GPUs and CPU packages, not the whole node",
}


@dataclass(frozen=True)
class Fact:
    """A line of the panel. sign: ok or warn, where the fact is a verdict."""

    label: str
    text: str
    sign: str | None = None


@dataclass(frozen=True)
class Missing:
    """A stretch without readings [ms], and who was silent."""

    from_ms: Annotated[TimeMs, sent_as("from")]
    to_ms: Annotated[TimeMs, sent_as("to")]
    who: str


@dataclass(frozen=True)
class Evidence:
    """The panel: its title, its lines, and the first stretches that are missing."""

    title: str
    facts: Sequence[Fact]
    missing: Sequence[Missing]
    missing_in_all: int


def present_provenance(job: Job, summary: Summary, power: JobPower, by: Provenance) -> Evidence:
    """Present how the energy of a job was measured."""
    content = summary.content
    missing = _missing(power)
    measured = bool(content.get("coverage"))
    facts = [
        Fact("Source", _source(content, by.cords)),
        *_meters(by.meters),
        *(_method(content) if measured else []),
        *_derived(content),
        _covered(content, power, len(missing)),
        *(_uncertainty(content) if measured else []),
        *_gpus(by.exporters, power),
        *_fallback(content),
        *(Fact(label, text, None if well else "warn") for label, text, well in sharing(power)),
        _facility(job, power, by.cords),
        *(Fact(label, text) for label, text in comparison_facts(job, content)),
        *(Fact(label, text) for label, text in cost_facts(content)),
        Fact("Computed", _computed(summary)),
    ]
    return Evidence(_title(content, power, len(missing)), facts, missing[:MOST_GAPS], len(missing))


def _any_node(power: JobPower) -> bool:
    return any(len(part.power.total) for part in power.parts)


def _title(content: Mapping[str, object], power: JobPower, stretches: int) -> str:
    share = content.get("coverage")
    if not isinstance(share, float) or share <= 0:
        return "Its share is not known" if power.is_shared and _any_node(power) else "Nothing was measured"
    if not stretches:
        share = 1.0
    places = {"pdu": "at the outlets", "meter": "by a meter", "bmc": "by the BMC", "components": "in parts only"}
    where = places.get(str(content.get("source")), "")
    return f"Measured {where}, {coverage(share)} of the time" if share < 1 else f"Measured {where} all the time"


def _source(content: Mapping[str, object], feeds: Sequence[PowerConnection]) -> str:
    source = content.get("source")
    words = _SOURCES.get(str(source), "no meter reports the power of these nodes")
    if not feeds or source not in ("pdu", "meter"):
        return words
    devices = sorted({feed.device for feed in feeds})
    if source == "meter":
        return devices[0] if len(devices) == 1 else count(len(devices), "meter")
    outlets = count(len({feed.key for feed in feeds}), "outlet")
    return f"{outlets} of {names(devices, 3) if len(devices) < 4 else count(len(devices), 'device')}"


def _meters(infos: Sequence[SeriesInfo]) -> list[Fact]:
    models = sorted({info.meter for info in infos if info.meter})
    limits = sorted({_limit(i) for i in infos if i.accuracy_pct is not None})
    found = [Fact("Meter", names(models, 3))] if models else []
    if limits:
        groups = "; of one model, so their errors add" if len(infos) > 1 and len(models) == 1 else ""
        each = " and ".join(limits)
        found.append(Fact("Accuracy", f"{each}{groups}"))
    return found


def _method(content: Mapping[str, object]) -> list[Fact]:
    by = content.get("energy_by")
    if not isinstance(by, Mapping):
        return []
    if content.get("method") == "mixed":
        return [Fact("Method", _mixed(content))]
    mine, other = ("counter", "integral") if content.get("method") == "counter" else ("integral", "counter")
    words = {"counter": "energy registers of the meters", "integral": "integral of power over the covered time"}
    found = [Fact("Method", words[mine])]
    joules, difference = by.get(other), by.get("difference_pct")
    if isinstance(joules, float) and isinstance(difference, float):
        off = -difference if mine == "counter" else difference
        name = {"counter": "Registers", "integral": "Integral"}[other]
        found.append(Fact(name, f"{energy(joules)}, {signed(off)} against the headline"))
    elif mine == "counter":
        found.append(Fact("Integral", "none: the meters report registers and no power"))
    else:
        why = "of a shared node count all its jobs together" if content.get("shared") else "none here"
        found.append(Fact("Registers", f"{why}: no second figure to compare with"))
    return found


def _mixed(content: Mapping[str, object]) -> str:
    by = content.get("by_method")
    counted, integrated = (
        (by.get(name) for name in ("counter", "integral")) if isinstance(by, Mapping) else (None, None)
    )
    if not isinstance(counted, float) or not isinstance(integrated, float):
        return "mixed"
    return f"mixed: {energy(counted)} by energy registers, {energy(integrated)} by the integral of power"


def _derived(content: Mapping[str, object]) -> list[Fact]:
    """Say where the power is derived from registers: it is never mixed with measured power without a word."""
    if content.get("power_basis") not in ("derived", "mixed"):
        return []
    which = "of some nodes " if content.get("power_basis") == "mixed" else ""
    watts = content.get("power_w")
    over_s = watts.get("max_over_s") if isinstance(watts, Mapping) else None
    highest = (
        f"the maximum is the highest mean over {num(over_s)} s"
        if isinstance(over_s, float)
        else "too few steps in 15 min for a maximum"
    )
    return [Fact("Power", f"{which}derived from energy registers; {highest}")]


def _seconds(ms: int) -> str:
    return f"{num(ms / 1000, 0 if ms % 1000 == 0 else 1)} s"


def _covered(content: Mapping[str, object], power: JobPower, stretches: int) -> Fact:
    share = content.get("coverage")
    share = share if isinstance(share, float) else 0.0
    inside = [
        window(curve, part.power.start_ms, part.power.end_ms)
        for part in power.parts
        for curve in part.power.feeds.values() or (part.power.total,)
    ]
    readings = sum(curve.n_samples for curve in inside)
    every = f", one every {_seconds(interval_ms(inside))}" if readings else ""
    lost = f", {count(stretches, 'gap')}" if stretches else ", no gap"
    few = _few_readings(content)
    sign = "ok" if readings and not stretches and not few else "warn"
    return Fact("Coverage", f"{coverage(share)} · {num(readings)} readings{every}{lost}{few}", sign)


def _few_readings(content: Mapping[str, object]) -> str:
    """Say that there is too little inside the run for more than a rough figure."""
    inside = content.get("readings")
    if not isinstance(inside, int) or inside >= FEW_READINGS or not content.get("coverage"):
        return ""
    if not inside:
        return "; no reading inside the run: its energy is an estimate from the readings around it"
    return f"; only {count(inside, 'reading')} inside the run"


def _limit(info: SeriesInfo) -> str:
    """Format the limit of error of a meter, of a class by the current of a line."""
    if info.accuracy_over_current is not None:
        steps = (f"±{_percent(pct)} from {num(current_a, 2)}{THIN}A" for current_a, pct in info.accuracy_over_current)
        return f"{', '.join(steps)} of a line"
    share, constant = f"{_percent(info.accuracy_pct or 0.0)} of reading", info.accuracy_abs
    return f"±({share} + {num(constant, 0 if constant >= 1 else 2)}{THIN}{info.unit})" if constant else f"±{share}"


def _percent(pct: float) -> str:
    return f"{num(pct, 0 if pct == round(pct) else 1)}{THIN}%"


def _uncertainty(content: Mapping[str, object]) -> list[Fact]:
    u, k = content.get("uncertainty_pct"), content.get("k")
    stated = (
        f"±{num(u, 1)}{THIN}% expanded, k = {k}" if isinstance(u, float) else "not stated: a meter names no accuracy"
    )
    caliber = str(content.get("caliber"))
    words = _CALIBERS.get(caliber, caliber)
    if content.get("source") != "components":
        words = _SHARE if content.get("shared") else _NO_READING if caliber == "estimated" else words
    return [Fact("Uncertainty", stated), Fact("Caliber", words)]


def _gpus(exporters: Sequence[str], power: JobPower) -> list[Fact]:
    if not exporters:
        return []
    step = interval_ms(curve for part in power.parts for curve in part.power.gpus.values())
    text = f"{names(exporters, 2)}, every {_seconds(step)}; beside the wall, never added to it"
    return [Fact("GPUs", text)]


def _fallback(content: Mapping[str, object]) -> list[Fact]:
    rows = content.get("fallback")
    if not isinstance(rows, Sequence) or not rows:
        return []
    nodes = sorted({str(row["node"]) for row in rows})
    return [
        Fact(
            "BMC",
            f"replaces silent outlets in {count(len(rows), 'stretch', 'stretches')} on {names(nodes)}",
            "warn",
        )
    ]


def _facility(job: Job, power: JobPower, feeds: Sequence[PowerConnection]) -> Fact:
    moved = [f for f in feeds if f.valid_from_ms > power.start_ms or (f.valid_to_ms or power.end_ms) < power.end_ms]
    cords = count(len({(f.node, f.key) for f in feeds}), "cord")
    what = f"{count(len(moved), 'cord')} moved during the run" if moved else f"{cords}, none moved during the run"
    return Fact("Facility", f"as of {_day(job.start_ms)}: {what}")


def _computed(summary: Summary) -> str:
    moment = shown_time(abs(summary.computed_at_ms))
    when = f"{moment.day} {moment:%b %Y %H:%M:%S %Z}"
    return f"revision {summary.revision}, {when}" if summary.revision else f"{when}, goes on while it runs"


def _missing(power: JobPower) -> list[Missing]:
    """Stretches in which the sum of the nodes is not covered, in the order of time, and who was silent."""
    silent = [(key, holes) for part in power.parts for key, holes in part.power.missing]
    found = []
    holes = gaps(power.total, power.start_ms, power.end_ms)
    nobody = "its share is not known" if power.is_shared else "no meter answered"
    for start, end in past(holes, power.end_ms, running=power.job.end_ms is None):
        least_ms = (end - start) / 2 if power.is_shared else 0  # a share may be unknown for longer than a meter is gone
        who = sorted({key.partition("/")[0] for key, gone in silent if _common_ms(gone, start, end) > least_ms})
        words = names(who) if len(who) < 4 else count(len(who), "meter")
        found.append(Missing(start, end, words or nobody))
    return found


def _common_ms(stretches: Sequence[tuple[int, int]], start_ms: int, end_ms: int) -> int:
    return sum(max(0, min(b, end_ms) - max(a, start_ms)) for a, b in stretches)


def _day(t_ms: int) -> str:
    when = shown_time(t_ms)
    return f"{when.day} {when:%b %Y}"
