"""Modbus meters: the registers of a profile are read in as few blocks as the device's limits allow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from collectors.decode import Order, WordType, decode, from_words
from collectors.device import Clock, Device, Note, Poll, wall_clock
from collectors.errors import BadAnswer
from collectors.frame import NAN, Frame, Layout, Series
from collectors.points import Placed
from collectors.profile import ModbusProfile
from collectors.protocols.modbus_client import ModbusClient, Refused

_LARGEST_EXPONENT = 10  # SunSpec allows ±10; anything further means "not implemented" or is rubbish


class Block(NamedTuple):
    """A run of registers read at once."""

    table: str
    start: int
    length: int


class Cell(NamedTuple):
    """One number of one channel."""

    series: Series
    table: str
    placed: Placed


Words = Mapping[tuple[str, int], int]
"""Registers that were read, by table and address."""


class ModbusDriver:
    """One Modbus unit. See `collectors.device.Driver`."""

    model = ""

    def __init__(self, device: Device, profile: ModbusProfile, clock: Clock = wall_clock) -> None:
        self._device = device
        self._profile = profile
        self._client = ModbusClient(device.address, device.timeout_s)
        self._clock = clock
        self._cells = cells_of(profile)
        self._blocks = {group: blocks_of(profile, cells) for group, cells in self._cells.items()}
        self._layouts = {group: self._layout(group, cells) for group, cells in self._cells.items()}
        self._refused: dict[Block, str] = {}

    @property
    def missing(self) -> tuple[str, ...]:
        """Blocks of registers that the unit refused."""
        return tuple(f"{b.table} registers {b.start} to {b.start + b.length - 1}" for b in self._refused)

    async def open(self) -> None:
        """Connect; what a meter has is known from its profile."""
        await self._client.open()

    async def close(self) -> None:
        """Disconnect."""
        await self._client.close()

    def layouts(self) -> list[Layout]:
        """One layout a group of points."""
        return list(self._layouts.values())

    async def read(self, groups: Collection[str]) -> Poll:
        """Read the blocks of each group; a block the unit refuses costs its own values only."""
        poll = Poll()
        for group, layout in self._layouts.items():
            if group in groups:
                start_ms = self._clock()
                words = await self._read_blocks(self._blocks[group], poll.notes)
                t_ms = (start_ms + self._clock()) // 2
                poll.frames.append(Frame(layout, t_ms, tuple(cell_value(cell, words) for cell in self._cells[group])))
        return poll

    async def _read_blocks(self, blocks: Sequence[Block], notes: list[Note]) -> Words:
        words: dict[tuple[str, int], int] = {}
        refusal: BadAnswer | None = None
        for block in blocks:
            try:
                run = await self._client.read(*block)
            except Refused as error:
                refusal = error
                if block not in self._refused:
                    self._refused[block] = error.detail
                    notes.append(Note("registers_refused", error.detail, "warning"))
                continue
            self._refused.pop(block, None)
            words |= {(block.table, block.start + i): word for i, word in enumerate(run)}
        if refusal is not None and not words:
            raise refusal
        return words

    def _layout(self, group: str, cells: Sequence[Cell]) -> Layout:
        interval_s = self._profile.group_interval_s(group, self._device.interval_s)
        meter = f"{self._profile.vendor} {self._profile.name}"
        return Layout(self._device.key, group, round(interval_s * 1000), tuple(c.series for c in cells), meter=meter)


def cells_of(profile: ModbusProfile) -> dict[str, list[Cell]]:
    """Every number of a profile by group. A number with a power of ten of its own has no resolution to declare."""
    cells: dict[str, list[Cell]] = {}
    for points in profile.points:
        for placed in points.placed():
            value = placed.register
            step = None if value.type.is_float or placed.exponent is not None else value.factor
            series = Series(
                point=placed.point,
                quantity=value.quantity,
                resolution=value.resolution or step,
                accuracy_pct=value.accuracy_pct or profile.accuracy_pct,
                counter_bits=value.counter_bits,
                counter_modulus=2.0**value.counter_bits * value.factor if value.counter_bits else None,
            )
            cells.setdefault(points.group, []).append(Cell(series, points.table, placed))
    return cells


def blocks_of(profile: ModbusProfile, cells: Iterable[Cell]) -> list[Block]:
    """The fewest reads that cover the cells: at most `max_block` registers, bridging at most `max_gap` unused ones
    and never a declared hole, never splitting a number."""
    spans: set[Block] = set()
    for cell in cells:
        spans.add(Block(cell.table, cell.placed.address, cell.placed.register.type.words))
        if cell.placed.exponent is not None:
            spans.add(Block(cell.table, cell.placed.exponent, 1))
    blocks: list[Block] = []
    for span in sorted(spans):
        last = blocks[-1] if blocks else None
        if last is not None and _joins(profile, last, span):
            blocks[-1] = Block(last.table, last.start, span.start + span.length - last.start)
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


def cell_value(cell: Cell, words: Words) -> float:
    """The value of a cell [base unit]; NaN when its registers were not read."""
    placed, register = cell.placed, cell.placed.register
    run = [words.get((cell.table, placed.address + i)) for i in range(register.type.words)]
    read = [word for word in run if word is not None]
    if len(read) != len(run):
        return NAN
    exponent = 0
    if placed.exponent is not None:
        word = words.get((cell.table, placed.exponent))
        if word is None:
            return NAN
        exponent = int(from_words([word], WordType.INT16, Order.BIG))
        if abs(exponent) > _LARGEST_EXPONENT:
            return NAN
    return decode(register, from_words(read, register.type, register.order), exponent)
