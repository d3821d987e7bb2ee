"""Cost and carbon of a job: its energy at the nodes × PUE × price, and × carbon intensity, where they are known."""

from __future__ import annotations

import math
from collections.abc import Mapping

from app.domain.accounts import cuts
from app.domain.timeseries import bucket_sums
from app.models import JobCosts
from app.services.factors import Charge, SiteFactors, carbon_of, charges, cost_of, site_factors
from app.services.jobs.power import JobPart, JobPower
from app.services.jobs.stores import JobStores


def read_factors(stores: JobStores, power: JobPower) -> dict[str | None, SiteFactors]:
    """Read the factors of the sites of a job."""
    sites = {site_of(power, part) for part in power.parts}
    return {site: site_factors(stores, site, power.start_ms, power.end_ms) for site in sites}


def job_costs(power: JobPower, factors: Mapping[str | None, SiteFactors], energy_j: float) -> JobCosts:
    """Return `cost` and `carbon` of a job whose headline energy is `energy_j` [J]; None each without the factor.

    Each interval of the power curve is weighted by the factors of its time; where the headline is not that integral (a
    counter), it has the same mean factor. `coverage` is the share of the energy for which all factors are known. None
    too for a job on sites whose prices are in different units.
    """
    found = [(factors[site_of(power, part)], part) for part in power.parts]
    price, carbon = _charged("price", found, energy_j), _charged("carbon", found, energy_j)
    return {"cost": cost_of(*price) if price else None, "carbon": carbon_of(*carbon) if carbon else None}


def site_of(power: JobPower, part: JobPart) -> str | None:
    """Return the site of a node of a job."""
    node = power.inputs.facility.at(part.power.start_ms).nodes.get(part.power.node)
    return node.site if node else None


def _charged(
    kind: str, parts: list[tuple[SiteFactors, JobPart]], energy_j: float
) -> tuple[SiteFactors, Charge, float | None] | None:
    """Return the factors, the charge of all parts, and the share of the energy that it covers."""
    known = [factors for factors, _ in parts if kind in factors.by_kind]
    integral = math.fsum(part.energy_j for _, part in parts)
    if not known or not integral or len({factors.by_kind[kind].unit for factors in known}) > 1:
        return None
    each = [charge for factors, part in parts if (charge := _charge(kind, factors, part)) is not None]
    scale = energy_j / integral
    whole = Charge(scale * math.fsum(c.amount for c in each), scale * math.fsum(c.known_j for c in each))
    return known[0], whole, whole.known_j / energy_j if energy_j else None


def _charge(kind: str, factors: SiteFactors, part: JobPart) -> Charge | None:
    edges_ms = cuts(list(factors.factors.values()), part.power.start_ms, part.power.end_ms)
    return charges(factors, edges_ms, bucket_sums(part.own, edges_ms)[0]).get(kind)
