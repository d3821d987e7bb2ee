"""Patterns of point names: `outlet/{number}`, `[unit/{unit}/]inlet[/{inlet}]`.

A name in braces is replaced by the number (or text) of that name. A part in brackets is left out when every
number in it is 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_NAME = re.compile(r"\{(\w+)\}")


def names_in(pattern: str) -> frozenset[str]:
    """The names a pattern needs."""
    return frozenset(_NAME.findall(pattern))


def render(pattern: str, numbers: Mapping[str, int | str]) -> str:
    """The point a pattern names.

    Raises
    ------
    KeyError
        A name of the pattern has no number.
    """

    def keep(part: re.Match[str]) -> str:
        return "" if all(numbers[name] == 1 for name in names_in(part[1])) else part[1]

    return _NAME.sub(lambda name: str(numbers[name[1]]), _OPTIONAL.sub(keep, pattern))


def glob(pattern: str) -> str:
    """A pattern for people: `outlet/*`."""
    return _NAME.sub("*", _OPTIONAL.sub("", pattern))
