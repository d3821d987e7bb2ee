"""Modbus meters: read the registers of a profile in as few blocks as the device's limits allow."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from collectors.contract import Frame, Layout, wall_clock_ms
from collectors.device import Clock, Note, Poll, PolledDevice
from collectors.errors import BadAnswer, Unidentified
from collectors.profiles import ModbusProfile
from collectors.protocols.modbus.client import ModbusClient, Refused
from collectors.protocols.modbus.plan import Block, ModbusCell, Words, blocks_of, cell_value, cells_of, scaled
from collectors.protocols.modbus.sunspec import locate, maker_and_model


class ModbusDriver:
    """One Modbus unit. See `collectors.device.device.Driver`."""

    def __init__(self, device: PolledDevice, profile: ModbusProfile, clock: Clock = wall_clock_ms) -> None:
        self.vendor = ""
        self.model = ""
        self._device = device
        self._profile = profile
        self._client = ModbusClient(device.address, device.timeout_s)
        self._clock = clock
        self._base = 0
        self._cells = cells_of(profile, device.ct_primary_a)
        self._blocks = {group: blocks_of(profile, cells) for group, cells in self._cells.items()}
        self._layouts = {group: self._layout(group, cells) for group, cells in self._cells.items()}
        self._refused: dict[Block, str] = {}

    @property
    def missing(self) -> tuple[str, ...]:
        """Blocks of registers that the unit rejected."""
        starts = ((b.table, self._base + b.start, b.length) for b in self._refused)
        return tuple(f"{table} registers {start} to {start + length - 1}" for table, start, length in starts)

    async def open(self) -> None:
        """Connect; find the SunSpec model and the scale of counters that wrap. The profile has everything else."""
        await self._client.open()
        try:
            async with self._client.turn():
                if self._profile.sunspec:
                    await self._locate()
                await self._scale()
        except BaseException:
            await self._client.close()
            raise

    async def close(self) -> None:
        """Disconnect."""
        await self._client.close()

    def layouts(self) -> list[Layout]:
        """Return one layout per group of points."""
        return list(self._layouts.values())

    async def read(self, groups: Collection[str]) -> Poll:
        """Read the blocks of each group; a rejected block leaves only its own values missing."""
        poll = Poll()
        async with self._client.turn():
            for group, layout in self._layouts.items():
                if group in groups:
                    start_ms = self._clock()
                    words = await self._read_blocks(self._blocks[group], poll.notes)
                    t_ms = (start_ms + self._clock()) // 2
                    values = tuple(cell_value(cell, words) for cell in self._cells[group])
                    poll.frames.append(Frame(layout, t_ms, values))
        return poll

    async def _locate(self) -> None:
        place = await locate(self._client, self._profile)
        if place is None:
            raise Unidentified(
                f"{self._device.address.url} has no SunSpec model that profile {self._profile.name} reads",
                "use another profile in the facility file",
            )
        self._base = place.model
        self.vendor, self.model = await maker_and_model(self._client, place)
        self._layouts = {group: self._layout(group, cells) for group, cells in self._cells.items()}

    async def _scale(self) -> None:
        """Read the scale of counters that wrap, which determines where they do."""
        for group, cells in self._cells.items():
            scaled_counters = [c for c in cells if c.placed.exponent is not None and c.placed.register.counter_bits]
            spans = sorted(
                {Block(c.table, c.placed.exponent, 1) for c in scaled_counters if c.placed.exponent is not None}
            )
            if spans:
                words = await self._read_blocks(spans, [])
                self._cells[group] = [scaled(cell, words) for cell in cells]
                self._layouts[group] = self._layout(group, self._cells[group])

    async def _read_blocks(self, blocks: Sequence[Block], notes: list[Note]) -> Words:
        words: dict[tuple[str, int], int] = {}
        refusal: BadAnswer | None = None
        for block in blocks:
            try:
                run = await self._client.read(block.table, self._base + block.start, block.length)
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

    def _layout(self, group: str, cells: Sequence[ModbusCell]) -> Layout:
        interval_s = self._profile.group_interval_s(group, self._device.interval_s)
        meter = f"{self.vendor or self._profile.vendor} {self.model or self._profile.name}"
        return Layout(self._device.key, group, round(interval_s * 1000), tuple(c.series for c in cells), meter=meter)
