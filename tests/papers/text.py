"""Format the numbers and tables of the page."""

from __future__ import annotations

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; columns after the first are right-aligned."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def number(value: float, digits: int) -> str:
    """Format as `109 477.1`."""
    return f"{value:,.{digits}f}".replace(",", " ").replace("-", "−")


def spread(mean: float, std: float | None, digits: int = 1) -> str:
    """Format as `680.7 ± 6.7`; of a single run only the value."""
    return number(mean, digits) + (f" ± {number(std, digits)}" if std else "")


def difference(obtained: float, published: float) -> str:
    """Return how far the obtained value is off, in % of the published."""
    return f"{_signed(100 * (obtained / published - 1))} %"


def points(obtained: float, published: float) -> str:
    """Return how far a percentage is off, in points."""
    return _signed(obtained - published)


def clock(seconds: float) -> str:
    """Format as `00:17:02` or `1-22:39:43`."""
    whole = round(seconds)
    days, rest = divmod(whole, 86_400)
    text = f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"
    return f"{days}-{text}" if days else text


def _signed(value: float) -> str:
    rounded = round(value, 2)
    return f"{rounded:+.2f}".replace("-", "−") if rounded else "0.00"
