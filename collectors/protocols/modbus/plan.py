"""Derive from a profile the registers of a Modbus unit, and the fewest blocks that cover them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from collectors.contract import NAN, Series
from collectors.profiles import ByteOrder, ModbusProfile, PlacedRegister, WordType, decode, from_words

_LARGEST_EXPONENT = 10  # SunSpec allows ±10; anything else means "not implemented" or is invalid


class Block(NamedTuple):
    """A run of registers read at once."""

    table: str
    start: int
    length: int


class ModbusCell(NamedTuple):
    """One number of one channel."""

    series: Series
    table: str
    placed: PlacedRegister


Words = Mapping[tuple[str, int], int]
"""Registers that were read, by table and address."""


def cells_of(profile: ModbusProfile, ct_primary_a: float | None = None) -> dict[str, list[ModbusCell]]:
    """Return every number of a profile by group. Resolution and wrap of a number with a scale register are known once
    that is read; see `scaled`. `ct_primary_a`: rated primary current of the meter's transformers [A]."""
    cells: dict[str, list[ModbusCell]] = {}
    for points in profile.points:
        for placed in points.placed():
            value = placed.register
            is_plain = placed.exponent is None
            step = value.factor if is_plain and not value.type.is_float else None
            series = Series(
                point=placed.point,
                quantity=value.quantity,
                resolution=value.resolution or step,
                accuracy_pct=profile.limit_pct(value),
                accuracy_abs=value.limit_abs,
                accuracy_over_current=profile.limits_over_current(value, ct_primary_a),
                signed=value.signed,
                counter_bits=value.counter_bits,
                counter_modulus=2.0**value.counter_bits * value.factor if value.counter_bits and is_plain else None,
            )
            cells.setdefault(points.group, []).append(ModbusCell(series, points.table, placed))
    return cells


def scaled(cell: ModbusCell, words: Words) -> ModbusCell:
    """Set resolution and wrap of a counter with a scale register, once that is read."""
    exponent = exponent_of(cell, words)
    register = cell.placed.register
    if cell.placed.exponent is None or register.counter_bits is None or exponent is None:
        return cell
    step = register.factor * 10.0**exponent
    series = replace(cell.series, resolution=step, counter_modulus=2.0**register.counter_bits * step)
    return cell._replace(series=series)


def blocks_of(profile: ModbusProfile, cells: Iterable[ModbusCell]) -> list[Block]:
    """Return the fewest reads that cover the cells: at most `max_block` registers each, bridging at most `max_gap`
    unused ones but no declared hole, never splitting a number."""
    spans: set[Block] = set()
    for cell in cells:
        spans.add(Block(cell.table, cell.placed.address, cell.placed.register.type.words))
        if cell.placed.exponent is not None:
            spans.add(Block(cell.table, cell.placed.exponent, 1))
    blocks: list[Block] = []
    for span in sorted(spans):
        last = blocks[-1] if blocks else None
        if last is not None and _joins(profile, last, span):
            end = max(last.start + last.length, span.start + span.length)
            blocks[-1] = Block(last.table, last.start, end - last.start)
        else:
            blocks.append(span)
    return blocks


def _joins(profile: ModbusProfile, block: Block, span: Block) -> bool:
    end = block.start + block.length
    if span.table != block.table or span.start - end > profile.max_gap:
        return False
    if span.start + span.length - block.start > profile.max_block:
        return False
    return not any(first < span.start and last >= end for first, last in profile.holes)


def exponent_of(cell: ModbusCell, words: Words) -> int | None:
    """Return the power of ten of a cell; None when it was not read or is "not implemented"."""
    if cell.placed.exponent is None:
        return 0
    word = words.get((cell.table, cell.placed.exponent))
    if word is None:
        return None
    exponent = int(from_words([word], WordType.INT16, ByteOrder.BIG))
    return exponent if abs(exponent) <= _LARGEST_EXPONENT else None


def cell_value(cell: ModbusCell, words: Words) -> float:
    """Return the value of a cell [base unit]; NaN when its registers were not read."""
    placed, register = cell.placed, cell.placed.register
    run = [words.get((cell.table, placed.address + i)) for i in range(register.type.words)]
    read = [word for word in run if word is not None]
    exponent = exponent_of(cell, words)
    if len(read) != len(run) or exponent is None:
        return NAN
    raw = from_words(read, register.type, register.order)
    return decode(register, raw if raw in register.missing else register.plain(raw), exponent)
