"""Cost and carbon of energy: the factors of a site as its operator sets them, applied to an energy."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from app.domain.accounts import J_PER_KWH, Factor, weigh
from app.errors import Invalid, NotFound
from app.models import Carbon, Charged, Cost
from app.services.factors.stores import FactorStores
from app.store.accounts import FactorStep, SiteFactor

KINDS = {
    "pue": "1, what the facility draws for each kilowatt-hour of a node, at least 1",
    "price": "a currency per kWh, e.g. EUR/kWh",
    "carbon": "g/kWh, grams of CO2-equivalent",
}
_UNITS = {"pue": r"1", "price": r"[A-Z]{3}/kWh", "carbon": r"g/kWh"}
_LEAST = {"pue": 1.0, "price": -math.inf, "carbon": 0.0}


@dataclass(frozen=True)
class Charge:
    """What an energy costs by one factor, PUE included.

    Attributes
    ----------
    amount: in the currency of `unit`, or grams. known_j: the energy [J] for which all factors are known.
    """

    amount: float
    known_j: float


@dataclass(frozen=True)
class SiteFactors:
    """The factors of a site over a window; a kind without a factor is absent."""

    by_kind: Mapping[str, SiteFactor]
    factors: Mapping[str, Factor]

    def charge(self, kind: str, edges_ms: ArrayLike, energy_j: ArrayLike) -> Charge | None:
        """Charge the energy of the intervals between edges by `price` or `carbon`, times PUE where it is set."""
        if kind not in self.factors:
            return None
        own = [self.factors[name] for name in ("pue", kind) if name in self.factors]
        return Charge(*weigh(edges_ms, energy_j, *own))

    def basis(self, start_ms: int, end_ms: int) -> tuple[object, ...]:
        """Return what the factors say about [start, end); what is computed with them changes when it does."""
        return tuple(
            (kind, self.by_kind[kind].unit, factor.constant, *_steps_inside(factor, start_ms, end_ms))
            for kind, factor in sorted(self.factors.items())
        )


def _steps_inside(factor: Factor, start_ms: int, end_ms: int) -> list[tuple[int, int, float]]:
    first, last = np.searchsorted(factor.end_ms, start_ms, "right"), np.searchsorted(factor.start_ms, end_ms)
    each = (column[first:last].tolist() for column in (factor.start_ms, factor.end_ms, factor.value))
    return [(max(start, start_ms), min(end, end_ms), value) for start, end, value in zip(*each, strict=True)]


def site_factors(stores: FactorStores, site: str | None, start_ms: int, end_ms: int) -> SiteFactors:
    """The factors of a site over a window."""
    factor = {factor.kind: factor for factor in stores.factors.of(site)} if site else {}
    return SiteFactors(factor, {kind: stores.factors.over(f, start_ms, end_ms) for kind, f in factor.items()})


def charges(factors: SiteFactors, edges_ms: ArrayLike, energy_j: ArrayLike) -> dict[str, Charge]:
    """Return the charges by `price` and `carbon`, where the factor is set."""
    found = {kind: factors.charge(kind, edges_ms, energy_j) for kind in ("price", "carbon")}
    return {kind: charge for kind, charge in found.items() if charge is not None}


def cost_of(factors: SiteFactors, charge: Charge, coverage: float | None) -> Cost:
    """Return what energy cost: the amount, the mean factor with PUE, and their sources."""
    unit = factors.by_kind["price"].unit
    amount = charge.amount if charge.known_j else None
    return {"amount": amount, "currency": unit.partition("/")[0], **_basis(factors, "price", charge, coverage)}


def carbon_of(factors: SiteFactors, charge: Charge, coverage: float | None) -> Carbon:
    """Return the carbon of energy: the mass, the mean factor with PUE, and their sources."""
    mass_kg = charge.amount / 1000.0 if charge.known_j else None
    return {"kg": mass_kg, **_basis(factors, "carbon", charge, coverage)}


def _basis(factors: SiteFactors, kind: str, charge: Charge, coverage: float | None) -> Charged:
    factor, pue = factors.by_kind[kind], factors.by_kind.get("pue")
    return {
        "factor": charge.amount / (charge.known_j / J_PER_KWH) if charge.known_j else None,
        "unit": factor.unit,
        "source": factor.source,
        "pue_source": pue.source if pue else None,
        "coverage": coverage,
    }


def put_factor(
    stores: FactorStores,
    site: str,
    kind: str,
    unit: str,
    source: str,
    constant: float | None,
    steps: Sequence[FactorStep] = (),
) -> SiteFactor:
    """Set a factor of a site. Steps replace stored steps of their time, a constant the stored constant.

    Raises
    ------
    NotFound, Invalid
    """
    _known_site(stores, site)
    _check(kind, unit, source, [*(step.value for step in steps), *([] if constant is None else [constant])])
    _check_steps(steps)
    before = next((f for f in stores.factors.of(site) if f.kind == kind), None)
    if before and before.unit != unit and (constant is None or stores.factors.steps(site, kind, 0, 1 << 62)):
        raise Invalid(
            f"{kind} of {site} is stored in {before.unit}, not {unit}",
            f"DELETE /api/v1/sites/{site}/factors/{kind} first",
            code="other_unit",
        )
    if constant is None and before:
        constant = before.constant
    factor = SiteFactor(site, kind, unit, source, constant, stores.now_ms())
    stores.factors.put(factor, steps)
    whole = not steps or factor.constant != (before.constant if before else None)
    _expire(stores, site, 0 if whole else steps[0].start_ms, None if whole else steps[-1].end_ms)
    return factor


def remove_factor(stores: FactorStores, site: str, kind: str) -> None:
    """Remove a factor. Raises NotFound."""
    _known_site(stores, site)
    if not stores.factors.remove(site, kind):
        raise NotFound(f"{site} has no factor {kind!r}", f"GET /api/v1/sites/{site}/factors lists them")
    _expire(stores, site, 0, None)


def _expire(stores: FactorStores, site: str, start_ms: int, end_ms: int | None) -> None:
    """What was computed with another factor is out of date."""
    now_ms = stores.now_ms()
    nodes = [node.key for node in stores.facility.now().nodes.values() if node.site == site]
    stores.jobs.expire(nodes, start_ms, now_ms if end_ms is None else end_ms, now_ms)


def factors_of(stores: FactorStores, site: str) -> list[SiteFactor]:
    """The factors of a site. Raises NotFound."""
    _known_site(stores, site)
    return stores.factors.of(site)


def _known_site(stores: FactorStores, site: str) -> None:
    if site not in stores.facility.now().sites:
        raise NotFound(f"there is no site {site!r}", "GET /api/v1/sites lists them")


def _check(kind: str, unit: str, source: str, values: Sequence[float]) -> None:
    if kind not in KINDS:
        raise Invalid(f"there is no factor {kind!r}", f"one of {', '.join(KINDS)}", code="unknown_factor")
    if not re.fullmatch(_UNITS[kind], unit):
        raise Invalid(f"the unit of {kind} is not {unit!r}", f"{kind} is in {KINDS[kind]}", code="bad_unit")
    if not source.strip():
        raise Invalid(f"the source of this {kind} is missing", "give its `source`", code="no_source")
    wrong = [value for value in values if not (math.isfinite(value) and value >= _LEAST[kind])]
    if wrong:
        raise Invalid(f"{kind} cannot be {wrong[0]:g} {unit}", f"{kind} is in {KINDS[kind]}", code="bad_factor")
    if not values:
        raise Invalid(f"{kind} has no value", "give its `value`, or `steps`", code="no_value")


def _check_steps(steps: Sequence[FactorStep]) -> None:
    for i, step in enumerate(steps):
        if step.end_ms <= step.start_ms:
            raise Invalid(f"step {i + 1} ends before it starts", "a step is [start, end, value]", code="bad_series")
        if i and step.start_ms < steps[i - 1].end_ms:
            raise Invalid(f"step {i + 1} begins before step {i} ends", "sort the steps by time", code="bad_series")
