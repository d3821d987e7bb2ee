"""How energies and their differences are written."""

from __future__ import annotations

from app.presentation.text.numbers import THIN, num, pct


def energy(joules: float) -> str:
    """`123.45 kWh`; three digits of watt-hours below one kilowatt-hour."""
    wh = joules / 3600
    if abs(wh) >= 1000:
        return f"{num(wh / 1000, 2)}{THIN}kWh"
    return f"{num(wh, 0 if abs(wh) >= 100 else 1 if abs(wh) >= 10 else 2)}{THIN}Wh"


def signed(x: float) -> str:
    """`+0.21 %`, `−0.03 %`."""
    return f"{'+' if x >= 0 else ''}{pct(x, 2)}"


def apart(difference_pct: float) -> str:
    """`0.03 % above`, `25.87 % below`."""
    if abs(difference_pct) < 0.005:
        return f"the same within 0.005{THIN}%"
    return f"{num(abs(difference_pct), 2)}{THIN}% {'above' if difference_pct > 0 else 'below'}"
