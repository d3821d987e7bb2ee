"""The answer "does it fit" in words: the same on rack page, capacity page and in what-if."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.presentation.text import THIN, count, listed, num, pct
from app.services.capacity import AdditionFit, LevelFit, RackFit, Shortage

BASIS_WORDS = {
    "observed_max": "observed maximum",
    "observed_p99": "observed p99",
    "rated": "rated power",
    "budget": "budgeted power",
}
_LABELS = {
    "rack": "Rack capacity",
    "pdu": "PDU power",
    "line": "Circuits",
    "failover": "If a feed fails",
    "space": "U space",
    "outlets": "Outlets",
}
_BINDS = {
    "rack": "rack capacity binds",
    "pdu": "PDU power binds",
    "line": "circuits bind",
    "failover": "the loss of a feed binds",
    "space": "U space binds",
}
_FACTORS = {"W": ("kW", 1000.0), "VA": ("kVA", 1000.0), "A": ("A", 1.0)}


@dataclass(frozen=True)
class FitRow:
    """A limit in words: what it is, its load with what one more node takes, and how many it allows by itself.

    Attributes
    ----------
    limit: after the margin, in `unit`. binds: it allows the fewest. text: why it is not evaluated, if it is not.
    """

    level: str
    label: str
    text: str
    additional_nodes: int | None = None
    binds: bool = False
    load: float | None = None
    per_node: float | None = None
    limit: float | None = None
    full: float | None = None


@dataclass(frozen=True)
class AdditionAnswer:
    """Whether an addition fits. `additional_nodes`: how many of the model fit; None where no limit is known."""

    rack: str
    model: str
    count: int
    fits: bool
    additional_nodes: int | None
    margin_pct: float
    text: str
    sentence: str


def addition_answer(one: AdditionFit) -> AdditionAnswer:
    """Return whether an addition fits, in words."""
    found = one.found
    return AdditionAnswer(
        rack=found.rack,
        model=found.model,
        count=one.count,
        fits=one.fits,
        additional_nodes=found.additional_nodes,
        margin_pct=found.margin_pct,
        text=addition_text(one),
        sentence=fit_sentence(found),
    )


def fit_sentence(found: RackFit) -> str:
    """Say how many more nodes fit and what binds: `2 more fit in R07; U space binds`."""
    n, rack = found.additional_nodes, found.rack_label
    if n is None or found.binding is None:
        return f"No limit of {rack} is known"
    more = "None fits" if not n else f"{num(n)} more {'fits' if n == 1 else 'fit'}"
    return f"{more} in {rack}; {binds(found.binding.level, found.binding.key)}"


def fit_basis(found: RackFit, window: str) -> str:
    """Name the model, the basis, the window and the margin of an answer."""
    basis = BASIS_WORDS[found.basis]
    of = f" of {window}" if found.basis.startswith("observed") else ""
    margin = f"margin {pct(found.margin_pct, _digits(found.margin_pct))}" if found.margin_pct else "no margin"
    return f"{found.model_label}, {basis}{of}, {margin}"


def binds(level: str, key: str) -> str:
    """Say what binds: `U space binds`, `C19 outlets on feed A bind`."""
    return f"{_outlets(key)} bind" if level == "outlets" else _BINDS[level]


def fit_row(found: RackFit, level: LevelFit) -> FitRow:
    """Return the row of an evaluated limit."""
    binding = found.binding
    kept = 1.0 - (found.margin_pct if level.unit in _FACTORS else 0.0) / 100.0
    return FitRow(
        level=level.level,
        label=_label(level),
        text=_load(level, found.margin_pct),
        additional_nodes=level.additional_nodes,
        binds=binding is not None and (binding.level, binding.key) == (level.level, level.key),
        load=level.load,
        per_node=level.per_node,
        limit=level.limit * kept,
        full=level.limit,
    )


def unknown_row(level: str, why: str) -> FitRow:
    """Return the row of a limit that cannot be evaluated."""
    return FitRow(level, _LABELS[level], f"not evaluated: {why}")


def addition_text(addition: AdditionFit) -> str:
    """Say whether so many fit: `2 × H100 fit in R07`, or `4 × H100 do not fit in R07: 13U of space short`."""
    found, n = addition.found, addition.count
    subject = f"{num(n)} × {found.model_label}"
    if not addition.fits:
        short = listed([shortage_text(one) for one in addition.short], 3)
        return f"{subject} {'does' if n == 1 else 'do'} not fit in {found.rack_label}: {short}"
    text = f"{subject} {'fits' if n == 1 else 'fit'} in {found.rack_label}"
    unknown = [_LABELS[one.level].lower() for one in found.not_evaluated]
    return f"{text} as far as known ({listed(unknown)} not evaluated)" if unknown else text


def shortage_text(short: Shortage) -> str:
    """Say what is short: `12U of space short`."""
    if short.unit == "U":
        return f"{num(short.short)}U of space short"
    if short.unit == "outlets":
        return f"{count(round(short.short), 'outlet')} short ({_outlets(short.key)})"
    unit, factor = _FACTORS[short.unit]
    name = _LABELS[short.level]
    name = name if name.startswith("PDU") else f"{name[0].lower()}{name[1:]}"
    return f"{name} {num(short.short / factor, 1)}{THIN}{unit} short"


def _label(level: LevelFit) -> str:
    if level.level != "outlets":
        return _LABELS[level.level]
    words = _outlets(level.key)
    return words[0].upper() + words[1:]


def _outlets(key: str) -> str:
    """Return `C19 outlets on feed A` for `r07/A/C19`: rack, feed, type, the last two where known."""
    _, *rest = key.split("/")
    return _outlet_words(rest)


def _outlet_words(rest: Sequence[str]) -> str:
    feed = f" on feed {rest[0]}" if rest and rest[0] else ""
    return f"{rest[1]} outlets{feed}" if len(rest) > 1 else f"outlets{feed}"


def _load(level: LevelFit, margin_pct: float) -> str:
    if level.unit not in _FACTORS:
        unit = "U" if level.unit == "U" else ""
        used = f"{num(level.load)} of {num(level.limit)}{unit} used"
        return f"{used}, a node takes {num(level.per_node)}{unit}"
    unit, factor = _FACTORS[level.unit]
    where = "" if level.level == "rack" else f"{level.key}: "
    kept = level.limit * (1.0 - margin_pct / 100.0)
    less = f" ({_limit(level)} less {pct(margin_pct, _digits(margin_pct))})" if margin_pct else ""
    load, limit, each = (num(x / factor, 1) for x in (level.load, kept, level.per_node))
    others = "; loads beside the nodes are not known" if level.nodes_only else ""
    return f"{where}{load} of {limit}{THIN}{unit}{less}, a node adds {each}{THIN}{unit}{others}"


def _limit(level: LevelFit) -> str:
    unit, factor = _FACTORS[level.unit]
    return f"{num(level.limit / factor, 1)}{THIN}{unit}"


def _digits(margin_pct: float) -> int:
    return 0 if float(margin_pct).is_integer() else 1
