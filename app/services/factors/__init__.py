"""Cost and carbon factors of a site."""

from __future__ import annotations

from app.services.factors import factors
from app.services.factors.factors import Charge, SiteFactors, carbon_of, charges, cost_of, site_factors
from app.services.factors.stores import FactorStores

__all__ = ["Charge", "FactorStores", "SiteFactors", "carbon_of", "charges", "cost_of", "factors", "site_factors"]
