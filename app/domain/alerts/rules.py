"""The alert rules: what each watches, its defaults, and which settings an operator may change."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

LONGEST_S = 86_400.0


@dataclass(frozen=True)
class RuleSettings:
    """The settings of a rule.

    Attributes
    ----------
    warn, crit: thresholds in the rule's unit; None for no such level, or for one built into the rule.
    margin: how far below a threshold, in the same unit, a value must fall to end that level.
    for_s: how long the condition must last before the alert opens. clear_s: how long it must be over before it ends.
    """

    enabled: bool = True
    warn: float | None = None
    crit: float | None = None
    margin: float = 0.0
    for_s: float = 0.0
    clear_s: float = 0.0


class Range(NamedTuple):
    """The range of a threshold."""

    least: float
    most: float


_SHARE = Range(1.0, 200.0)


@dataclass(frozen=True)
class Rule:
    """A built-in rule.

    Attributes
    ----------
    warn_of, crit_of: unit of the thresholds; '' if the rule has no such threshold to change.
    within: range of the thresholds.
    """

    name: str
    title: str
    about: str
    defaults: RuleSettings
    warn_of: str = ""
    crit_of: str = ""
    within: Range = _SHARE


class RuleMistake(NamedTuple):
    """An invalid setting: which one, what is wrong, the suggested fix."""

    field: str
    detail: str
    hint: str


_ALL = (
    Rule(
        "circuit_load",
        "Circuit above its limit",
        "A line, branch or bank carries more than its breaker may carry all the time (breaker × derating); critical "
        "from the breaker's rating on. Without current readings, the apparent power of the inlets counts.",
        RuleSettings(warn=100.0, crit=100.0, margin=5.0, for_s=60.0, clear_s=120.0),
        "% of breaker × derating",
        "% of the breaker's rating",
    ),
    Rule(
        "failover",
        "A feed would trip if another failed",
        "If a feed of the rack failed now, a line of a feed that is left would carry more than its breaker.",
        RuleSettings(warn=100.0, margin=5.0, for_s=120.0, clear_s=120.0),
        "% of the breaker's rating",
        "% of the breaker's rating",
    ),
    Rule(
        "rack_load",
        "Rack close to its capacity",
        "A rack draws more than a share of what its supply may carry (capacity_w).",
        RuleSettings(warn=90.0, crit=100.0, margin=3.0, for_s=120.0, clear_s=120.0),
        "% of usable",
        "% of usable",
    ),
    Rule(
        "device_silent",
        "Device stopped responding",
        "A polled device sent no reading for longer than three polls and 5 s.",
        RuleSettings(for_s=30.0, clear_s=30.0),
        crit_of="s without a reading",
        within=Range(60.0, LONGEST_S),
    ),
    Rule(
        "meters_disagree",
        "Meters disagree",
        "Two meters of one thing differ by more than their accuracies allow, as the checks of the last hour say; "
        "looked at every ten minutes.",
        RuleSettings(for_s=600.0, clear_s=600.0),
    ),
    Rule(
        "inlet_temperature",
        "Inlet too warm",
        "A probe of a rack's PDUs. 27 °C is the end of what ASHRAE recommends, 32 °C of what it allows for class A1. "
        "Probes whose name says rear, back, exhaust, hot or return are left out.",
        RuleSettings(warn=27.0, crit=32.0, margin=1.0, for_s=120.0, clear_s=120.0),
        "°C",
        "°C",
        Range(5.0, 60.0),
    ),
    Rule(
        "reading_refused",
        "Impossible readings",
        "A series keeps reporting values that cannot be true; they are stored as missing. At least ten readings in a "
        "row were refused, over this time.",
        RuleSettings(warn=600.0, clear_s=60.0),
        warn_of="s of refused readings",
        within=Range(60.0, LONGEST_S),
    ),
    Rule(
        "feed_lost",
        "Feed redundancy lost",
        "A feed of a rack has no voltage, or carries almost nothing while the nodes' other feeds carry load.",
        RuleSettings(warn=2.0, margin=1.0, for_s=60.0, clear_s=120.0),
        "% of the rack's power or less",
        within=Range(0.0, 40.0),
    ),
    Rule(
        "phase_imbalance",
        "Phases out of balance",
        "The current of a line of a PDU differs from the mean of its lines; not evaluated below 0.5 A.",
        RuleSettings(warn=30.0, margin=5.0, for_s=900.0, clear_s=900.0),
        "% of the mean line current",
        "% of the mean line current",
    ),
    Rule(
        "data_quality",
        "Polls without readings",
        "Polls of a device failed in the last hour, more than three, although it responds to others.",
        RuleSettings(warn=5.0, margin=2.0, clear_s=60.0),
        "% of the polls of an hour",
        "% of the polls of an hour",
        Range(0.1, 100.0),
    ),
    Rule(
        "energy_budget",
        "Energy budget of a project",
        "The jobs of a project used more than a share of its budget of this month, up to midnight; looked at every ten "
        "minutes.",
        RuleSettings(warn=80.0, crit=100.0),
        "% of the budget",
        "% of the budget",
    ),
    Rule(
        "device_event",
        "Device reports trouble",
        "The device reported it (overload, breaker open, feed lost, on battery, outlet off); active until it reports "
        "the end, or for seven days.",
        RuleSettings(clear_s=60.0),
    ),
    Rule(
        "collector_silent",
        "Collector is silent",
        "A collector did not renew its lease and did not give it back: it ended, or the way to the server is cut. "
        "Critical if no other collector polls its devices; there is no alert for each of them then.",
        RuleSettings(for_s=30.0, clear_s=0.0),
    ),
    Rule(
        "collector_clock",
        "Clocks disagree",
        "The clocks of a collector and the server differ by more than 1 s and half the round trip, in three leases "
        "in a row.",
        RuleSettings(clear_s=60.0),
    ),
)
RULES: Mapping[str, Rule] = {rule.name: rule for rule in _ALL}


def changed(rule: Rule, given: Mapping[str, object]) -> RuleSettings | list[RuleMistake]:
    """Return the settings of a rule with the given values instead of its defaults, or all errors."""
    known = sorted(f.name for f in fields(RuleSettings))
    mistakes = [
        RuleMistake(name, "no rule has this", f"one of {', '.join(known)}") for name in given if name not in known
    ]
    mistakes += [m for name, value in given.items() if name in known and (m := _mistake(rule, name, value))]
    if mistakes:
        return sorted(mistakes)
    settings = replace(rule.defaults, **given)  # type: ignore[arg-type]  # each was looked at
    if settings.warn is not None and settings.crit is not None and settings.crit < settings.warn:
        wrong = f"{settings.crit:g} is below warn, {settings.warn:g}"
        return [RuleMistake("crit", wrong, "critical is at or above warning; null for no critical level")]
    return settings


def _mistake(rule: Rule, name: str, value: object) -> RuleMistake | None:
    if name == "enabled":
        wrong = f"{value!r} is neither true nor false"
        return None if isinstance(value, bool) else RuleMistake(name, wrong, "true or false")
    of = {"warn": rule.warn_of, "crit": rule.crit_of, "margin": rule.warn_of}.get(name, "s")
    if not of:
        return None if value in (None, 0) else RuleMistake(name, f"rule {rule.name} has none", "leave it out")
    if value is None and name == "crit":
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return RuleMistake(name, f"{value!r} is no number", f"a number of {of}")
    least, most = _range(rule, name)
    if least <= value <= most:
        return None
    wrong = f"{value:g} is not within {least:g}…{most:g} {of}"
    return RuleMistake(name, wrong, f"the default is {_default(rule, name)}")


def _range(rule: Rule, name: str) -> Range:
    if name in ("warn", "crit"):
        return rule.within
    return Range(0.0, LONGEST_S if name.endswith("_s") else (rule.defaults.warn or 0.0) / 2)


def _default(rule: Rule, name: str) -> str:
    value = getattr(rule.defaults, name)
    return "none" if value is None else f"{value:g}"
