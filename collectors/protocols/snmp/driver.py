"""SNMP devices: walk tables once to discover their rows, then request only the cells that are read.

Discovery is repeated after a restart (sysUpTime went back), when a cell has disappeared (at most every few minutes) and
once an hour.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from collectors.contract import Frame, Layout, wall_clock_ms
from collectors.device import Clock, Note, Poll, PolledDevice, clipped
from collectors.errors import BadAnswer, DeviceError
from collectors.profiles import SnmpProfile, TextField, generic_profiles
from collectors.protocols.snmp.ber import Raw
from collectors.protocols.snmp.composition import add_generic
from collectors.protocols.snmp.connect import client_for
from collectors.protocols.snmp.identity import has_probe, module_of
from collectors.protocols.snmp.plan import SnmpCell, SnmpPlan, cell_value, columns_of, make_plan, scalars_of
from collectors.protocols.snmp.raw_values import text

UPTIME = "1.3.6.1.2.1.1.3.0"
_LEARN_EVERY_S = 3600.0
_LEARN_SOONEST_S = 300.0
_MOST_CELLS = 40_000  # of the tables that are walked: 27 chained PDUs of 48 outlets have about 13,000
_NEAR_WRAP = 2**32 - 100 * 3600  # the last hour before sysUpTime [10 ms] wraps


@dataclass(frozen=True)
class SnmpAnswer:
    """Response of a device for a group of cells, by OID; `uptime` if it was requested."""

    t_ms: int
    uptime: Raw
    cells: Mapping[str, Raw]


class SnmpDriver:
    """One SNMP device. See `collectors.device.device.Driver`."""

    def __init__(
        self, device: PolledDevice, profile: SnmpProfile, community: str = "public", clock: Clock = wall_clock_ms
    ) -> None:
        self._device = device
        self._profile = profile
        self._client = client_for(
            device.address, device.auth, device.timeout_s, community, max_packets_s=profile.max_packets_s
        )
        self._clock = clock
        self._generic: tuple[SnmpProfile, ...] = ()
        self._notes: list[Note] = []
        self._plan = SnmpPlan()
        self._objects: dict[str, list[str]] = {}
        self._layouts: dict[str, Layout] = {}
        self._uptime: int | None = None
        self._has_uptime = False
        self._learned_s = 0.0
        self._stale = False
        self.vendor = ""
        self.model = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """Points of the profile that the device has no row for."""
        return tuple(self._plan.missing)

    async def open(self) -> None:
        """Connect, and discover the device's rows unless they are known."""
        await self._client.open()
        if not self._layouts:
            await self._learn()

    async def close(self) -> None:
        """Close the socket."""
        await self._client.close()

    def layouts(self) -> list[Layout]:
        """Return one layout per group of points."""
        return list(self._layouts.values())

    def sources(self) -> dict[str, str]:
        """Return the OID of each value, by series key."""
        return {cell.series.key: cell.oid for cells in self._plan.groups.values() for cell in cells}

    async def read(self, groups: Collection[str]) -> Poll:
        """Read the cells of the groups; the time of a frame is the middle of its group's requests."""
        poll = Poll(notes=self._notes)
        self._notes = []
        age_s = time.monotonic() - self._learned_s
        if age_s > _LEARN_EVERY_S or (self._stale and age_s > _LEARN_SOONEST_S):
            await self._learn()
        answers = await self._ask(groups)
        if self._restarted(answers, poll.notes):
            await self._learn()
            answers = await self._ask(groups)
        poll.frames += [self._frame(group, answer) for group, answer in answers.items()]
        return poll

    async def _ask(self, groups: Collection[str]) -> dict[str, SnmpAnswer]:
        """Request the cells of the groups, and sysUpTime with the first of them."""
        answers: dict[str, SnmpAnswer] = {}
        for group in self._layouts:
            if group not in groups:
                continue
            objects = self._objects[group]
            first = [UPTIME] if self._has_uptime and not answers else []
            start_ms = self._clock()
            raw = await self._client.get([*first, *objects], self._profile.max_varbinds)
            answers[group] = SnmpAnswer((start_ms + self._clock()) // 2, raw.pop(UPTIME, None), raw)
            self._stale = self._stale or len(raw) < len(objects)
        return answers

    def _frame(self, group: str, answer: SnmpAnswer) -> Frame:
        cells = self._plan.groups[group]
        if not answer.cells and group not in {profile.name for profile in self._generic}:
            raise BadAnswer(f"{self._device.key} returned none of its {len(cells)} values", code="no_values")
        return Frame(self._layouts[group], answer.t_ms, tuple(cell_value(cell, answer.cells) for cell in cells))

    def _restarted(self, answers: Mapping[str, SnmpAnswer], notes: list[Note]) -> bool:
        """Whether sysUpTime went back; restarts of agents without it are not detected."""
        raw = next((answer.uptime for answer in answers.values()), None)
        before, self._uptime = self._uptime, raw if isinstance(raw, int) else None
        if before is None or self._uptime is None or self._uptime >= before:
            return False
        if before < _NEAR_WRAP:
            notes.append(Note("device_restarted", f"{self._device.key} has been up for {self._uptime / 100:.0f} s"))
        return True

    async def _learn(self) -> None:
        self._generic = await self._beside()
        columns = await self._scalars() | await self._columns()
        plan = make_plan(self._profile, columns)
        add_generic(plan, self._generic, columns)
        if not plan.groups:
            raise BadAnswer(
                f"{self._device.key} has nothing that profile {self._profile.name} reads",
                f"check it with: wattline probe {self._device.address.url}",
                "nothing_to_read",
            )
        if not self._layouts and not await self._has_probe():
            detail = (
                f"{self._device.key} fits profile {self._profile.name} in part: it has none of its identifying objects"
            )
            self._notes.append(Note("profile_fits_in_part", detail))
        self.model = await self._read_text(self._profile.identify.model)
        self._has_uptime = UPTIME in await self._client.get([UPTIME], 1)
        self._plan, self._objects = plan, plan.objects()
        self._layouts = {group: self._layout(group, cells) for group, cells in plan.groups.items()}
        self._learned_s, self._stale = time.monotonic(), False

    async def _scalars(self) -> dict[str, dict[str, Raw]]:
        """Read the objects with one instance, by OID, each as a column of one cell."""
        oids = [oid for profile in (self._profile, *self._generic) for oid in scalars_of(profile)]
        found = await self._client.get([f"{oid}.0" for oid in oids], self._profile.max_varbinds)
        return {oid: {"0": found[f"{oid}.0"]} for oid in oids if f"{oid}.0" in found}

    async def _columns(self) -> dict[str, dict[str, Raw]]:
        """Walk the columns of the tables, by OID."""
        oids = dict.fromkeys(oid for profile in (self._profile, *self._generic) for oid in columns_of(profile))
        found: dict[str, dict[str, Raw]] = {}
        for oid in oids:
            found[oid] = await self._client.walk(oid, self._profile.max_repetitions)
            if (count := sum(map(len, found.values()))) > _MOST_CELLS:
                detail = f"{self._device.key} has more than {count} cells in the tables that are read"
                raise BadAnswer(detail, "use a profile that reads less of it", "too_many_rows")
        return found

    async def _has_probe(self) -> bool:
        """Whether the device has an identifying object of the profile; so it is assumed if it does not answer that."""
        try:
            return await has_probe(self._client, self._profile)
        except DeviceError:
            return True

    async def _beside(self) -> tuple[SnmpProfile, ...]:
        """Return the generic profiles to read beside the profile: those of MIBs that it does not read itself."""
        own = {module_of(oid) for oid in self._profile.columns}
        others = [p for p in generic_profiles() if own.isdisjoint(map(module_of, p.columns))]
        probes = dict.fromkeys(oid for p in others for oid in p.identify.probe)
        try:
            exists = await self._client.existing([*probes], self._profile.max_varbinds)
        except DeviceError:  # an agent may refuse or drop requests for objects that it does not have
            return ()
        return tuple(p for p in others if not exists.isdisjoint(p.identify.probe))

    def _layout(self, group: str, cells: Sequence[SnmpCell]) -> Layout:
        source = next((p for p in self._generic if p.name == group), self._profile)
        interval_s = max(source.group_interval_s(group, self._device.interval_s), self._profile.min_interval_s)
        meter = f"{self._profile.vendor} {self.model or self._profile.family}"
        return Layout(self._device.key, group, round(interval_s * 1000), tuple(c.series for c in cells), meter=meter)

    async def _read_text(self, reading: TextField | None) -> str:
        if reading is None:
            return ""
        raw = await self._client.get([reading.oid], 1)
        return clipped(reading.cut(text(raw.get(reading.oid))))
