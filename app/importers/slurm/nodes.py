"""Slurm's node lists, written out: `n[01-02,07]` → n01, n02, n07."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from app.errors import Invalid

_NO_NODES = frozenset({"", "none assigned", "none", "(null)", "n/a", "unknown"})
_PIECE = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_MOST = 200_000


def expand(text: str) -> tuple[str, ...]:
    """Names of a node list, in its order; () where Slurm reports that there are none.

    Several brackets in one name multiply, the last running fastest. A number keeps the width of its range's first.

    Raises
    ------
    Invalid
        It is not a node list, or stands for more than 200,000 names.
    """
    if text.strip().lower() in _NO_NODES:
        return ()
    names: list[str] = []
    for item in _items(text):
        parts = [list(_numbers(inside, text)) if inside else [plain] for inside, plain in _pieces(item, text)]
        size = len(names)
        for part in parts:
            size = max(size, 1) * len(part)
        if size > _MOST:
            raise _wrong(text, f"it stands for more than {_MOST} nodes")
        names += ("".join(name) for name in product(*parts))
    return tuple(names)


def _items(text: str) -> Iterator[str]:
    """Parts between commas outside of brackets."""
    depth, begin = 0, 0
    for at, mark in enumerate(text):
        depth += (mark == "[") - (mark == "]")
        if depth not in (0, 1):
            raise _wrong(text, "its brackets do not match")
        if mark == "," and not depth:
            yield text[begin:at].strip()
            begin = at + 1
    if depth:
        raise _wrong(text, "its brackets do not match")
    yield text[begin:].strip()


def _pieces(item: str, text: str) -> list[tuple[str, str]]:
    found = [(match[1] or "", match[2] or "") for match in _PIECE.finditer(item)]
    if not found or any(not inside and not plain for inside, plain in found) or re.search(r"\s", item):
        raise _wrong(text, "a name in it is empty")
    return found


def _numbers(inside: str, text: str) -> Iterator[str]:
    for part in inside.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise _wrong(text, f"{part!r} is no number and no range")
        first, last = match[1], match[2] or match[1]
        if int(last) < int(first) or int(last) - int(first) >= _MOST:
            raise _wrong(text, f"{part!r} runs backwards or too far")
        yield from (f"{number:0{len(first)}d}" for number in range(int(first), int(last) + 1))


def _wrong(text: str, why: str) -> Invalid:
    return Invalid(f"node list {text[:80]!r}: {why}", "write it like n[01-04,07],login1", code="bad_node_list")
