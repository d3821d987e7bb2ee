"""What a Slurm job was given: trackable resources (TRES) and generic ones (GRES)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_NO_VALUE = 1 << 63
"""Slurm's NO_VAL64 and INFINITE64 lie above; printed as signed numbers they are negative."""
_ITEM = re.compile(r"([^=,]+)=([^,]*)")
_COUNT = re.compile(r"(-?\d+(?:\.\d+)?)\s*([KMGTPE]?)[nc]?i?B?", re.I)
_DEVICE = re.compile(r"(?:gres[/:])?gpu(?::([^:(),=]+))??[:=](\d+)(?:\((?:IDX|CNT):([^)]*)\))?")
_POWER = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}


@dataclass(frozen=True)
class Gpus:
    """Allocated GPUs. count: None where unknown; indices: among the node's GPUs, where they are reported."""

    count: int | None = None
    type: str | None = None
    indices: tuple[int, ...] | None = None


NO_GPUS = Gpus()


def read_tres(text: str) -> dict[str, int]:
    """`cpu=8,gres/gpu=2,mem=320G,energy=1439089` → counts; what has no plain count is left out."""
    found = {name.strip(): count(value) for name, value in _ITEM.findall(text)}
    return {name: value for name, value in found.items() if value is not None}


def read_tres_list(items: Iterable[Mapping[str, object]]) -> dict[str, int]:
    """The same of `[{"type": "gres", "name": "gpu", "count": 2}]`."""
    found = {}
    for item in items:
        name = f"{item.get('type')}/{item['name']}" if item.get("name") else str(item.get("type"))
        value = count(item.get("count"))
        if value is not None:
            found[name] = value
    return found


def count(value: object, base: int = 1024) -> int | None:
    """A count as Slurm writes it, `4000M` in units of `base`; None for no value."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        number = int(value)
    else:
        match = _COUNT.fullmatch(str(value).strip())
        if match is None:
            return None
        plain = match[1] if "." not in match[1] and not match[2] else None
        number = int(plain) if plain else round(float(match[1]) * base ** _POWER[match[2].upper()])
    return number if 0 <= number < _NO_VALUE - 1 else None


def gpus_of(tres: Mapping[str, int]) -> Gpus:
    """GPUs among TRES: `gres/gpu=2`, of a type where all are of one."""
    typed = {name.partition(":")[2]: n for name, n in tres.items() if name.startswith("gres/gpu:")}
    total = tres.get("gres/gpu", sum(typed.values()) if typed else None)
    kind = next(iter(typed)) if len(typed) == 1 and sum(typed.values()) == total else None
    return Gpus(total, kind)


def read_gres(text: str) -> Gpus:
    """`gpu:a100:2(IDX:0-1)`, what one node gave a job; several kinds are added up."""
    if "gpu" not in text:
        return NO_GPUS
    found = _DEVICE.findall(text)
    if not found:
        return NO_GPUS
    total = sum(int(n) for _, n, _ in found)
    indices = [index for _, n, ranges in found if int(n) for index in _indices(ranges)]
    kinds = {kind for kind, _, _ in found if kind}
    return Gpus(total, kinds.pop() if len(kinds) == 1 else None, tuple(indices) if len(indices) == total else None)


def _indices(ranges: str) -> list[int]:
    found: list[int] = []
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        if not first.isdigit() or (last and not last.isdigit()):
            return []
        found += range(int(first), int(last or first) + 1)
    return found
