"""Cost and carbon of a job: its energy at the nodes × PUE × price, and × carbon intensity, where they are known."""

from __future__ import annotations

import math
from collections.abc import Mapping

from app.domain.accounts import cuts
from app.domain.timeseries import bucket_sums
from app.services.factors import Charge, SiteFactors, charges, site_factors, tell_charge
from app.services.jobs.power import JobPart, JobPower
from app.services.jobs.stores import JobStores


def read_factors(stores: JobStores, power: JobPower) -> dict[str | None, SiteFactors]:
    """Read the factors of the sites of a job."""
    sites = {site_of(power, part) for part in power.parts}
    return {site: site_factors(stores, site, power.start_ms, power.end_ms) for site in sites}


def job_costs(
    power: JobPower, factors: Mapping[str | None, SiteFactors], energy_j: float
) -> dict[str, Mapping[str, object] | None]:
    """Return `cost` and `carbon` of a job whose headline energy is `energy_j` [J]; None each without the factor.

    Each interval of the power curve is weighted by the factors of its time; where the headline is not that integral (a
    counter), it has the same mean factor. `coverage` is the share of the energy for which all factors are known. None
    too for a job on sites whose prices are in different units.
    """
    found = [(factors[site_of(power, part)], part) for part in power.parts]
    return {name: _charged(kind, found, energy_j) for name, kind in (("cost", "price"), ("carbon", "carbon"))}


def site_of(power: JobPower, part: JobPart) -> str | None:
    """Return the site of a node of a job."""
    node = power.inputs.facility.at(part.power.start_ms).nodes.get(part.power.node)
    return node.site if node else None


def _charged(kind: str, parts: list[tuple[SiteFactors, JobPart]], energy_j: float) -> dict[str, object] | None:
    known = [factors for factors, _ in parts if kind in factors.by_kind]
    integral = math.fsum(part.energy_j for _, part in parts)
    if not known or not integral or len({factors.by_kind[kind].unit for factors in known}) > 1:
        return None
    each = [charge for factors, part in parts if (charge := _charge(kind, factors, part)) is not None]
    scale = energy_j / integral
    whole = Charge(scale * math.fsum(c.amount for c in each), scale * math.fsum(c.known_j for c in each))
    return {**tell_charge(known[0], kind, whole), "coverage": whole.known_j / energy_j if energy_j else None}


def _charge(kind: str, factors: SiteFactors, part: JobPart) -> Charge | None:
    edges_ms = cuts(list(factors.factors.values()), part.power.start_ms, part.power.end_ms)
    return charges(factors, edges_ms, bucket_sums(part.own, edges_ms)[0]).get(kind)
