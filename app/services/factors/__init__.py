"""Cost and carbon factors of a site."""

from __future__ import annotations

from app.services.factors import factors
from app.services.factors.factors import Charge, SiteFactors, charges, site_factors, tell_charge
from app.services.factors.stores import FactorStores

__all__ = ["Charge", "FactorStores", "SiteFactors", "charges", "factors", "site_factors", "tell_charge"]
