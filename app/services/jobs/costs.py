"""What a job costs: its energy at the nodes × PUE × price, and × carbon intensity, where an operator told them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from app.domain.accounts import cuts
from app.domain.timeseries import bucket_sums
from app.presentation.text import THIN, coverage, digits, num
from app.services.factors import Charge, SiteFactors, charges, site_factors, tell_charge
from app.services.jobs.power import JobPart, JobPower
from app.services.jobs.stores import JobStores


def job_costs(stores: JobStores, power: JobPower, energy_j: float) -> dict[str, Mapping[str, object] | None]:
    """`cost` and `carbon` of a job whose headline energy is `energy_j` [J]; None each where nobody told the factor.

    Each interval of the power curve is weighted by the factors of its time; where the headline is not that integral (a
    counter), it has the same mean factor. `coverage` is the share of the energy for which all factors are known. None
    too for a job on sites whose prices are in different units.
    """
    sites = {_site(stores, part) for part in power.parts}
    by_site = {site: site_factors(stores, site, power.start_ms, power.end_ms) for site in sites}
    found = [(by_site[_site(stores, part)], part) for part in power.parts]
    return {name: _told(kind, found, energy_j) for name, kind in (("cost", "price"), ("carbon", "carbon"))}


def cost_words(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Cost and carbon of a job's summary as label and text, each with its mean factor, PUE in it, and its source."""
    found = []
    if cost := content.get("cost"):
        amount = cost["amount"]
        told = None if amount is None else f"{num(amount, max(2, digits(amount, 2)))} {cost['currency']}"
        found.append(("Cost", _words(told, cost)))
    if carbon := content.get("carbon"):
        kg = carbon["kg"]
        grams = None if kg is None else f"{num(1000 * kg)}{THIN}g" if kg < 1 else f"{num(kg, 2)}{THIN}kg"
        found.append(("Carbon", _words(grams and f"{grams} CO₂e", carbon)))
    return found


def _words(amount: str | None, told: Mapping[str, Any]) -> str:
    pue = told["pue_source"]
    by = f"{told['source']}{f'; PUE: {pue}' if pue else ''}"
    if amount is None:
        return f"not known for the time of this run ({by})"
    share, mean = told["coverage"], told["factor"]
    part = "" if share is None or share > 1 - 1e-9 else f", known for {coverage(share)} of the energy"
    return f"{amount} at {num(mean, digits(mean, 3))} {told['unit']} ({by}){part}"


def _site(stores: JobStores, part: JobPart) -> str | None:
    node = stores.facility.at(part.power.start_ms).nodes.get(part.power.node)
    return node.site if node else None


def _told(kind: str, parts: list[tuple[SiteFactors, JobPart]], energy_j: float) -> dict[str, object] | None:
    told = [factors for factors, _ in parts if kind in factors.told]
    integral = math.fsum(part.energy_j for _, part in parts)
    if not told or not integral or len({factors.told[kind].unit for factors in told}) > 1:
        return None
    each = [charge for factors, part in parts if (charge := _charge(kind, factors, part)) is not None]
    scale = energy_j / integral
    whole = Charge(scale * math.fsum(c.amount for c in each), scale * math.fsum(c.known_j for c in each))
    return {**tell_charge(told[0], kind, whole), "coverage": whole.known_j / energy_j if energy_j else None}


def _charge(kind: str, factors: SiteFactors, part: JobPart) -> Charge | None:
    edges_ms = cuts(list(factors.factors.values()), part.power.start_ms, part.power.end_ms)
    return charges(factors, edges_ms, bucket_sums(part.own, edges_ms)[0]).get(kind)
