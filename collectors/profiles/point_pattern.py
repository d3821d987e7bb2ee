"""Patterns of point names: `outlet/{number}`, `[unit/{unit}/]inlet[/{inlet}]`.

A name in braces is replaced by the number (or text) of that name; `{unit+1}` counts from 1 what the device counts
from 0. A part in brackets is left out when every number in it is 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_NAME = re.compile(r"\{(\w+?)(\+1)?\}")


def names_in(pattern: str) -> frozenset[str]:
    """Return the names that a pattern requires."""
    return frozenset(name for name, _ in _NAME.findall(pattern))


def render(pattern: str, numbers: Mapping[str, int | str]) -> str:
    """Return the point for a pattern.

    Raises
    ------
    KeyError
        A name of the pattern has no number.
    """

    def value(name: re.Match[str]) -> str:
        number = numbers[name[1]]
        return str(number + 1 if name[2] and isinstance(number, int) else number)

    def keep(part: re.Match[str]) -> str:
        return "" if all(value(name) == "1" for name in _NAME.finditer(part[1])) else part[1]

    return _NAME.sub(value, _OPTIONAL.sub(keep, pattern))


def glob(pattern: str) -> str:
    """Format a pattern for display: `outlet/*`."""
    return _NAME.sub("*", _OPTIONAL.sub("", pattern))
