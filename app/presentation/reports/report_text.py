"""Sentences that reports share: when, how much, how certain, by which version."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import version

from app.presentation.text import THIN, num

METHODS = {
    "integral": "integral of power over the covered time",
    "counter": "energy registers of the meters",
    "mixed": "energy registers of some nodes, integral of power of the others",
}
SOURCES = {
    "pdu": "metered PDU outlets",
    "meter": "a power meter",
    "bmc": "the BMC of the node",
    "components": "components only (GPUs, CPU packages)",
}


def product() -> str:
    """`Wattline 0.1.0`."""
    return f"Wattline {version('wattline')}"


def when(t_ms: int) -> str:
    """`20 Nov 2026 07:00:30 UTC`."""
    moment = datetime.fromtimestamp(t_ms / 1000, UTC)
    return f"{moment.day} {moment:%b %Y %H:%M:%S} UTC"


def energy_with_uncertainty(joules: float | None, uncertainty_pct: float | None, k: int = 2) -> str:
    """`123.00 ± 1.35 kWh (k = 2)`: as many digits as the uncertainty leaves a meaning."""
    if joules is None:
        return "energy not measured"
    per, unit = (3.6e6, "kWh") if abs(joules) >= 3.6e6 else (3600.0, "Wh")
    value = joules / per
    if uncertainty_pct is None:
        return (
            f"{num(value, 2 if abs(value) >= 1 else 4)}{THIN}{unit} (uncertainty not stated: a meter names no accuracy)"
        )
    u = abs(value) * uncertainty_pct / 100
    digits = 0 if u >= 10 else 1 if u >= 1 else 2 if u >= 0.1 else 3 if u >= 0.01 else 4
    return f"{num(value, digits)} ± {num(u, digits)}{THIN}{unit} (k = {k})"


def method_of(content_method: object) -> str:
    """The method in words."""
    return METHODS.get(str(content_method), str(content_method))


def source_of(source: object) -> str:
    """The source in words."""
    return SOURCES.get(str(source), "no meter of these nodes")
