"""Groups of a study on a figure: a colour each (one hue from pale to full where they are numbers), and their names."""

from __future__ import annotations

import html

CATEGORIES = ("@power", "@gpu", "@aux", "@load", "@idle", "@ink")
_PALEST = 0.3
_MOST_ORDERED = 5


def group_colors(n: int, *, ordered: bool) -> list[str]:
    """A colour for each of n groups. More than six categories start over, distinguished by their names."""
    if ordered and n >= _MOST_ORDERED:
        return [f"@power/{_PALEST + (1 - _PALEST) * i / (n - 1):.2f}" for i in range(n)]
    return [CATEGORIES[i % len(CATEGORIES)] for i in range(n)]


def opaque(color: str) -> str:
    """The same hue for text and for areas with an alpha of their own."""
    return color.partition("/")[0]


def ink(color: str) -> str:
    """The colour for words: two hues have a darker one that can be read."""
    name = opaque(color)
    return {"@gpu": "@gpu-t", "@aux": "@aux-t", "@idle": "@ink-2"}.get(name, name)


def plain(text: str) -> str:
    """A name that people gave, for the words of a figure: neither markup nor a colour token."""
    shown = html.escape(text, quote=False)
    return f"\u200b{shown}" if shown.startswith("@") else shown
