"""What a what-if scenario means, in one sentence: fit, trips and lost nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

from app.presentation.capacity.fit_text import AdditionAnswer, addition_answer, addition_text
from app.presentation.text import THIN, count, listed, num
from app.services.capacity import AdditionFit, EvaluatedWhatIf, WhatIf

Sign = Literal["ok", "info", "warn", "crit"]
_WORST: Sequence[Sign] = ("ok", "info", "warn", "crit")


@dataclass(frozen=True)
class VerdictPart:
    """Fit, trips or lost power, in words."""

    sign: Sign
    text: str


@dataclass(frozen=True)
class Verdict:
    """The answer to a scenario. `sign`: that of its worst part."""

    sign: Sign
    sentence: str
    parts: Sequence[VerdictPart]


@dataclass(frozen=True)
class WhatIfAnswer(WhatIf):
    """The answer to a scenario, with its verdict in words."""

    fits: Sequence[AdditionAnswer] = ()
    verdict: Verdict | None = None


def what_if_answer(found: EvaluatedWhatIf, asked_failures: Sequence[str] = ()) -> WhatIfAnswer:
    """Return the answer to a scenario; `asked_failures`: what was assumed to fail, as it was named."""
    parts = [part for part in (_fit(found.fits), _trips(found), _lost(found)) if part is not None]
    sign = max((part.sign for part in parts), key=_WORST.index)
    return WhatIfAnswer(
        **{field.name: getattr(found, field.name) for field in fields(WhatIf)},
        fits=[addition_answer(one) for one in found.fits],
        verdict=Verdict(sign, _sentence(parts, asked_failures), parts),
    )


def _sentence(parts: Sequence[VerdictPart], failures: Sequence[str]) -> str:
    """Return one sentence that covers every part: `4 × H100 do not fit in R07: …; nothing trips; …`."""
    text = "; ".join(part.text for part in parts)
    condition = f"with {listed([_failure(name) for name in failures], 3)} failed, " if failures else ""
    text = f"{condition}{text}"
    return f"{text[0].upper()}{text[1:]}."


def _failure(name: str) -> str:
    kind, _, key = name.partition(":")
    return f"{kind} {key}" if kind in ("feed", "room") and key else name


def _fit(additions: Sequence[AdditionFit]) -> VerdictPart | None:
    if not additions:
        return None
    wrong = [one for one in additions if not one.fits]
    if wrong:
        return VerdictPart("crit", "; ".join(addition_text(one) for one in wrong))
    unknown = any(one.found.not_evaluated for one in additions)
    return VerdictPart("info" if unknown else "ok", "; ".join(addition_text(one) for one in additions))


def _trips(found: WhatIf) -> VerdictPart:
    if found.trips:
        worst = max(found.trips, key=lambda trip: trip.current_a / trip.breaker_a)
        pdus = list(dict.fromkeys(trip.pdu for trip in found.trips))
        current = f"{num(worst.current_a, 1)}{THIN}A on a {num(worst.breaker_a)}{THIN}A breaker"
        verb = "would trip"
        return VerdictPart("crit", f"{listed(pdus)} {verb} ({worst.line} of {worst.pdu}: {current})")
    over = list(dict.fromkeys(one.key.partition("/")[0] for one in found.levels if one.state == "over"))
    if over:
        verb = "is" if len(over) == 1 else "are"
        return VerdictPart("warn", f"no breaker trips at once, but {listed(over)} {verb} over the limit")
    unknown = sum(one.state == "unknown" for one in found.levels)
    if unknown:
        of = count(len(found.levels), "limit")
        return VerdictPart("info", f"no breaker trips as far as known ({num(unknown)} of {of} not evaluated)")
    return VerdictPart("ok", "no breaker trips")


def _lost(found: WhatIf) -> VerdictPart:
    lost, later = list(found.lost), list(found.lost_after_trips)
    after = f"with tripped breakers {listed(later)} would be without power" if len(later) > len(lost) else ""
    if lost:
        now = f"{listed(lost)} would lose power"
        return VerdictPart("crit", f"{now}, {after}" if after else now)
    return VerdictPart("crit", after) if after else VerdictPart("ok", "no node loses power")
