"""BMCs over IPMI."""

from __future__ import annotations

from collectors.protocols.ipmi.driver import IpmiDriver, identify_ipmi

__all__ = ["IpmiDriver", "identify_ipmi"]
