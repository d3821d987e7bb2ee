"""Real collectors share the devices of a real server: one joins, one ends, one stops."""

import asyncio
import itertools
import zlib
from contextlib import asynccontextmanager

import pytest

from app.server.application import create_app
from app.server.serving import serving
from app.settings import Settings
from app.store.facility import Device
from collectors.contract import Frame, Layout, Quantity, Series, wall_clock_ms
from collectors.delivery import ServerClient
from collectors.device import Poll
from collectors.errors import ServerDown
from collectors.polling import collect

pytestmark = pytest.mark.anyio
DEVICES = [f"pdu-{i}" for i in range(6)]
TAU_MS = 500
LEASE_S = 3.0


class Meter:
    """A driver that answers at once, and remembers who asked when."""

    model, vendor, missing = "", "", ()

    def __init__(self, key, collector, polls):
        self.layout = Layout(key, "main", TAU_MS, (Series("inlet", Quantity.POWER),))
        self.collector, self.polls = collector, polls

    async def open(self): ...

    async def close(self): ...

    def layouts(self):
        return [self.layout]

    async def read(self, groups):
        t_ms = wall_clock_ms()
        self.polls.append((self.layout.device, t_ms, self.collector))
        return Poll([Frame(self.layout, t_ms, (100.0,))])


@asynccontextmanager
async def collector(url, name, folder, polls):
    async def factory(device):
        return Meter(device.key, name, polls)

    stop = asyncio.Event()
    path = folder / f"{name}.sqlite"
    task = asyncio.create_task(collect(url, None, name, path, stop, lease_s=LEASE_S, factory=factory))
    try:
        yield stop, task
    finally:
        stop.set()
        await task


async def until(condition):
    for _ in range(300):
        if condition():
            return
        await asyncio.sleep(0.03)
    raise AssertionError("it did not happen")


def polled_by(polls, since_ms):
    return {device: name for device, t_ms, name in polls if t_ms >= since_ms}


def doubles(polls):
    """Turns of a device in which two collectors polled it. Each polls at the device's own phase."""
    turns = {}
    for device, t_ms, name in polls:
        phase = zlib.crc32(device.encode()) % TAU_MS
        turns.setdefault((device, round((t_ms - phase) / TAU_MS)), set()).add(name)
    return [turn for turn, names in turns.items() if len(names) > 1]


def spacing(polls, device):
    times = sorted(t_ms for key, t_ms, _ in polls if key == device)
    return [b - a for a, b in itertools.pairwise(times)]


async def shared(polls, counts):
    """Wait until the devices are polled by so many collectors each, for more than an interval."""

    def is_so():
        names = list(polled_by(polls, wall_clock_ms() - 2 * TAU_MS).values())
        recent = [(d, n) for d, t, n in polls if t >= wall_clock_ms() - 2 * TAU_MS]
        return sorted(names.count(n) for n in set(names)) == counts and len(set(recent)) == len(DEVICES)

    await until(is_so)


async def test_devices_pass_from_one_to_the_other_without_a_gap_or_a_double(sqlite_engine, tmp_path, monkeypatch):
    app = create_app(Settings(data_dir=tmp_path), engine=sqlite_engine)
    stores = app.state.stores
    stores.facility.upsert(
        [Device(key=key, kind="pdu", address="snmp://127.0.0.1", interval_s=TAU_MS / 1000) for key in DEVICES]
    )
    release = ServerClient.release

    async def release_unless_killed(self):
        if self.name == "one":
            raise ServerDown("killed")
        await release(self)

    monkeypatch.setattr(ServerClient, "release", release_unless_killed)
    polls = []
    with serving(app, background_tasks=False) as url:
        async with collector(url, "one", tmp_path, polls) as (stop_one, one), collector(url, "two", tmp_path, polls):
            await shared(polls, [3, 3])
            joined = list(polls)
            stop_one.set()
            await one
            await shared(polls, [6])
            async with collector(url, "three", tmp_path, polls) as (stop_three, three):
                await shared(polls, [3, 3])
                stop_three.set()
                await three
                await shared(polls, [6])
    for device in DEVICES:
        assert max(spacing(joined, device)) < 1000 * LEASE_S  # passed on by agreement, not by a lease that ran out
    assert doubles(polls) == []
    stored = stores.frames.read([f"{key}/inlet:power" for key in DEVICES], 0, 1 << 50)
    sent = {key: sorted({t for device, t, _ in polls if device == key}) for key in DEVICES}
    for key in DEVICES:
        missing = set(sent[key]) - set(stored[f"{key}/inlet:power"].t_ms.tolist())
        assert len(missing) <= 6  # one delivers every 1.5 s: its last three seconds may be in its outbox
