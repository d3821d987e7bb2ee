"""A device's schedule, back-off and events, on a clock that the test owns."""

import asyncio
import contextlib
import itertools
import zlib

import pytest

from collectors.contract.address import Address
from collectors.contract.frame import Frame, Layout, Quantity, Series
from collectors.device.device import Note, Poll, PolledDevice
from collectors.device.limits import MOST_SERIES
from collectors.errors import AccessDenied, BadAnswer, ConfigError, OutboxError, Unreachable
from collectors.polling.poller import LOST_AFTER, Poller

pytestmark = pytest.mark.anyio
DEVICE = PolledDevice("pdu-1", "apc-rpdu2", Address.parse("snmp://127.0.0.1"), interval_s=10.0)
PHASE = zlib.crc32(b"pdu-1") % 10_000


def layout(group: str, interval_ms: int) -> Layout:
    return Layout("pdu-1", group, interval_ms, (Series("inlet", Quantity.POWER),))


class World:
    """A wall clock, and how far it was set; sleeping moves time. Stops the poller after so many naps."""

    def __init__(self, naps: int) -> None:
        self.now = 1_000_000
        self.set_by = 0
        self.naps = naps

    def clock(self) -> int:
        return self.now + self.set_by

    def steady(self) -> int:
        return self.now

    async def sleep(self, seconds: float) -> None:
        if self.naps == 0:
            raise asyncio.CancelledError
        self.naps -= 1
        self.now += round(seconds * 1000)


class FakeDriver:
    """Answers or fails as told; each poll takes `takes_ms` of the world's time."""

    model, missing = "", ()

    def __init__(self, world: World, script: list[object], takes_ms: int = 40) -> None:
        self.world, self.script, self.takes_ms = world, script, takes_ms
        self.asked: list[tuple[int, set[str]]] = []
        self.opened = self.closed = 0

    async def open(self) -> None:
        self.opened += 1

    async def close(self) -> None:
        self.closed += 1

    def layouts(self) -> list[Layout]:
        return [layout("main", 10_000), layout("environment", 60_000)]

    async def read(self, groups) -> Poll:
        self.asked.append((self.world.now, set(groups)))
        self.world.now += self.takes_ms
        told = self.script.pop(0) if self.script else None
        if isinstance(told, BaseException):
            raise told
        if isinstance(told, int):
            self.world.now += told
        return Poll([Frame(layout(group, 10_000), self.world.clock(), (1.0,)) for group in sorted(groups)], [])


class Kept:
    def __init__(self) -> None:
        self.kept: list[Frame] = []
        self.failures: list = []
        self.events: list[tuple[str, Note]] = []

    def frames(self, frames, fence=None) -> None:
        self.kept += frames

    def failure(self, failure) -> None:
        self.failures.append(failure)

    def event(self, device: str, note: Note) -> None:
        self.events.append((device, note))


async def run(script: list[object], naps: int, factory=None, takes_ms: int = 40):
    world, sink = World(naps), Kept()
    driver = FakeDriver(world, script, takes_ms)

    async def make(device):
        return driver

    poller = Poller(DEVICE, sink, factory or make, world.clock, world.sleep, world.steady)
    with pytest.raises(asyncio.CancelledError):
        await poller.run()
    return poller, driver, sink


async def test_polls_are_aligned_and_do_not_drift():
    _, driver, sink = await run([], naps=5)
    times = [t for t, _ in driver.asked]
    assert [t % 10_000 for t in times] == [PHASE] * 5
    assert [b - a for a, b in itertools.pairwise(times)] == [10_000] * 4
    assert len(sink.kept) >= 5


async def test_a_slow_group_of_a_failed_poll_is_read_by_the_next_one():
    _, driver, _ = await run([BadAnswer("garbled")], naps=3)
    assert [t // 60_000 for t, _ in driver.asked[:2]] == [16, 16]  # its next turn of its own has not come
    assert [groups for _, groups in driver.asked[:2]] == [{"main", "environment"}] * 2


async def test_a_sleep_that_ends_too_soon_does_not_bring_the_poll_forward():
    class Hasty(World):
        async def sleep(self, seconds: float) -> None:
            await super().sleep(seconds if seconds <= 0.001 else seconds - 0.001)

    world = Hasty(naps=8)
    driver = FakeDriver(world, [], takes_ms=0)

    async def make(device):
        return driver

    with pytest.raises(asyncio.CancelledError):
        await Poller(DEVICE, Kept(), make, world.clock, world.sleep, world.steady).run()
    times = [t for t, _ in driver.asked]
    assert [t % 10_000 for t in times] == [PHASE] * 4
    assert [b - a for a, b in itertools.pairwise(times)] == [10_000] * 3


@pytest.mark.parametrize("set_by", [-3_600_000, -2_000, 3_600_000, 30 * 86_400_000])
async def test_a_wall_clock_that_is_set_delays_no_poll_and_stamps_the_frames(set_by):
    class Set(World):
        async def sleep(self, seconds: float) -> None:
            await super().sleep(seconds)
            if self.naps == 3:
                self.set_by = set_by

    world, sink = Set(naps=6), Kept()
    world.now = 100 * 86_400_000
    driver = FakeDriver(world, [], takes_ms=0)

    async def make(device):
        return driver

    with pytest.raises(asyncio.CancelledError):
        await Poller(DEVICE, sink, make, world.clock, world.sleep, world.steady).run()
    steady = [t for t, _ in driver.asked]
    assert [b - a for a, b in itertools.pairwise(steady)] == [10_000] * 5
    stamped = sorted({frame.t_ms for frame in sink.kept})
    assert {stamp - set_by in steady for stamp in stamped if stamp not in steady} <= {True}
    assert any(stamp not in steady for stamp in stamped)


async def test_a_disk_that_is_full_pauses_and_ends_no_poller(caplog):
    class Full(Kept):
        refusals = 4

        def frames(self, frames, fence=None) -> None:
            if self.refusals:
                self.refusals -= 1
                raise OutboxError("outbox: database or disk is full")
            super().frames(frames)

    world, sink = World(naps=7), Full()
    driver = FakeDriver(world, [], takes_ms=0)

    async def make(device):
        return driver

    with pytest.raises(asyncio.CancelledError):
        await Poller(DEVICE, sink, make, world.clock, world.sleep, world.steady).run()
    times = [t for t, _ in driver.asked]
    waits = [b - a for a, b in itertools.pairwise(times)]
    assert waits[0] == 10_000  # 0, 1, 3, 7 intervals, a quarter more or less, to the next tick
    assert 50_000 <= waits[3] <= 90_000
    assert waits[4:] == [10_000, 10_000]
    assert sink.kept
    assert (sink.failures, sink.events) == ([], [])
    assert len([r for r in caplog.records if "cannot be stored" in r.message]) == 1


async def test_a_stopped_poller_stores_nothing_even_if_its_driver_swallows_the_cancellation():
    class Deaf(FakeDriver):
        async def read(self, groups) -> Poll:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(60)
            return await super().read(groups)

    world, sink = World(naps=9), Kept()

    async def make(device):
        return Deaf(world, [])

    poller = Poller(DEVICE, sink, make, world.clock, world.sleep, world.steady)
    task = asyncio.create_task(poller.run())
    while not poller.polls:
        await asyncio.sleep(0)
    poller.stop()
    task.cancel()
    done, _ = await asyncio.wait([task], timeout=2)
    assert done
    assert (sink.kept, sink.failures) == ([], [])


async def test_polls_begin_and_end_at_the_moment_in_which_a_device_passes_on():
    world, sink = World(naps=20), Kept()
    driver = FakeDriver(world, [], takes_ms=0)

    async def make(device):
        return driver

    start_ms = world.now
    old = Poller(DEVICE, sink, make, world.clock, world.sleep, world.steady)
    old.end_in(35.0)
    await old.run()
    mine = [t for t, _ in driver.asked]
    assert all(t < start_ms + 35_000 for t in mine)
    world.now = start_ms + 1000
    new = Poller(DEVICE, sink, make, world.clock, world.sleep, world.steady, start_in_s=34.0)
    new.end_in(60.0)
    await new.run()
    theirs = [t for t, _ in driver.asked][len(mine) :]
    assert all(t >= start_ms + 35_000 for t in theirs)
    assert theirs[0] - mine[-1] == 10_000
    turns = [t // 60_000 for t, groups in driver.asked if "environment" in groups]
    assert turns == sorted(set(turns))  # the slow group is read once a minute, whoever reads it


async def test_an_address_is_checked_before_each_connection_and_never_opened_if_it_is_refused():
    world, sink = World(naps=6), Kept()
    driver = FakeDriver(world, [Unreachable("gone")])
    checked = []

    async def make(device):
        return driver

    async def check(device):
        checked.append(driver.opened)
        if len(checked) > 1:
            raise ConfigError("leads to metadata", "", "address_refused")

    with pytest.raises(asyncio.CancelledError):
        await Poller(DEVICE, sink, make, world.clock, world.sleep, world.steady, check=check).run()
    assert checked[:2] == [0, 1]
    assert driver.opened == 1
    assert {failure.code for failure in sink.failures[1:]} == {"address_refused"}


async def test_a_slow_group_has_its_turn_once_a_minute():
    _, driver, _ = await run([], naps=13)
    turns = [t // 60_000 for t, groups in driver.asked if "environment" in groups]
    assert len(turns) == len(set(turns))
    assert len(turns) in (2, 3)
    assert all("main" in groups for _, groups in driver.asked)


async def test_an_overrun_is_skipped_and_counted_never_queued():
    poller, driver, sink = await run([25_000], naps=3)
    times = [t for t, _ in driver.asked]
    assert [b - a for a, b in itertools.pairwise(times)] == [30_000, 10_000]
    assert poller.skipped == 2
    assert [(f.code, f.duration_ms) for f in sink.failures] == [("overrun", 25_040)]


async def test_a_failed_poll_is_recorded_and_brings_no_reading():
    _, _, sink = await run([BadAnswer("garbage", code="bad_answer")], naps=1)
    assert sink.kept == []
    (failure,) = sink.failures
    assert (failure.device, failure.code, failure.detail, failure.duration_ms) == ("pdu-1", "bad_answer", "garbage", 40)


async def test_lost_and_back_are_said_once(caplog):
    script: list[object] = [None, *[Unreachable("silent") for _ in range(6)], None, None]
    poller, driver, sink = await run(script, naps=9)
    assert [note.kind for _, note in sink.events] == ["device_lost", "device_back"]
    assert [record.message.split(":")[0] for record in caplog.records] == ["pdu-1 is lost", "pdu-1 is back"]
    assert len(sink.failures) == 6
    assert not poller.lost
    assert driver.opened == 7  # closed after every failure, opened for the next try


async def test_fewer_failures_in_a_row_are_no_loss():
    script: list[object] = [*[Unreachable("silent") for _ in range(LOST_AFTER - 1)], None]
    _, _, sink = await run(script, naps=LOST_AFTER)
    assert sink.events == []


async def test_a_failing_device_is_asked_ever_more_rarely_up_to_a_minute():
    _, driver, _ = await run([Unreachable("silent")] * 12, naps=12)
    times = [t for t, _ in driver.asked]
    waits = [b - a for a, b in itertools.pairwise(times)]
    assert waits[0] == 10_000
    assert waits[1] >= 10_000
    assert max(waits) <= 1.25 * 60_000 + 10_000
    assert min(waits[4:]) >= 0.75 * 60_000
    assert all(t % 10_000 == PHASE for t in times)


@pytest.mark.parametrize(("chance", "longest"), [(0.75, 50_000), (1.25, 80_000)])
async def test_pauses_are_spread_by_a_quarter(monkeypatch, chance, longest):
    """Devices that were lost together do not come back together: 45 s or 75 s, to the next tick of the rhythm."""
    asked = []
    monkeypatch.setattr(
        "collectors.polling.poller.random.uniform", lambda low, high: asked.append((low, high)) or chance
    )
    _, driver, _ = await run([Unreachable("silent")] * 12, naps=12)
    times = [t for t, _ in driver.asked]
    assert times[-1] - times[-2] == longest
    assert set(asked) == {(0.75, 1.25)}


async def test_a_device_that_refuses_us_is_left_alone_for_minutes():
    """Many BMCs lock an account after a few wrong passwords; 300 s ± a quarter, to the next tick."""
    _, driver, sink = await run([AccessDenied("401")] * 3, naps=3)
    times = [t for t, _ in driver.asked]
    assert all(0.75 * 300_000 <= b - a <= 1.25 * 300_000 + 10_000 for a, b in itertools.pairwise(times))
    assert [note.kind for _, note in sink.events] == ["device_lost"]


async def test_after_a_failure_every_group_is_due():
    _, driver, _ = await run([None, Unreachable("silent"), None], naps=3)
    assert driver.asked[2][1] == {"main", "environment"}


async def test_what_cannot_work_is_lost_at_once():
    async def refuse(device):
        raise ConfigError("there is no device profile 'apc'", code="unknown_profile")

    poller, _, sink = await run([], naps=1, factory=refuse)
    assert [f.code for f in sink.failures] == ["unknown_profile"]
    assert [note.kind for _, note in sink.events] == ["device_lost"]
    assert poller.lost


async def test_a_fault_of_our_own_is_recorded_and_the_task_lives():
    _, driver, sink = await run([ZeroDivisionError("oops"), None], naps=2)
    assert [f.code for f in sink.failures] == ["internal_error"]
    assert len(driver.asked) == 2
    assert sink.kept


async def test_the_driver_is_closed_when_polling_stops():
    _, driver, _ = await run([], naps=1)
    assert driver.closed == 1


def poller_of(driver: FakeDriver, world: World, sink: Kept) -> Poller:
    async def make(device):
        return driver

    return Poller(DEVICE, sink, make, world.clock, world.sleep, world.steady)


class WideDriver(FakeDriver):
    def layouts(self) -> list[Layout]:
        series = tuple(Series(f"outlet/{n}", Quantity.POWER) for n in range(MOST_SERIES + 1))
        return [Layout("pdu-1", "main", 10_000, series)]

    async def read(self, groups) -> Poll:
        return Poll()


async def test_a_device_with_too_many_series_is_refused():
    world, kept = World(0), Kept()
    await poller_of(WideDriver(world, []), world, kept).poll(0)
    assert [(f.code, f.detail) for f in kept.failures] == [
        ("too_many_series", "pdu-1 has 5001 series, 5000 at most are read")
    ]


async def test_an_error_that_quotes_a_device_is_cut_and_on_one_line():
    world, kept = World(0), Kept()
    await poller_of(FakeDriver(world, [BadAnswer("a\x1b[2J\n" + "x" * 5_000)]), world, kept).poll(0)
    assert kept.failures[0].detail == f"a [2J {'x' * 993}…"


async def test_an_internal_error_that_repeats_is_logged_once(caplog):
    world, kept = World(0), Kept()
    poller = poller_of(FakeDriver(world, [KeyError("x"), KeyError("x"), KeyError("x")]), world, kept)
    for tick_ms in (0, 10_000, 20_000):
        await poller.poll(tick_ms)
    assert [f.code for f in kept.failures] == ["internal_error"] * 3
    assert sum("internal error" in record.message for record in caplog.records) == 1


class ChangingDriver(FakeDriver):
    """Names its point after each poll."""

    def layouts(self) -> list[Layout]:
        return [Layout("pdu-1", "main", 10_000, (Series(f"outlet/{len(self.asked)}", Quantity.POWER),))]

    async def read(self, groups) -> Poll:
        self.asked.append((self.world.now, set(groups)))
        return Poll()


async def test_a_device_whose_series_change_with_every_poll_is_refused():
    """Sixty sets of series in an hour are read; an hour later the next sixty are."""
    world, kept = World(0), Kept()
    poller = poller_of(ChangingDriver(world, []), world, kept)
    for n in range(62):
        await poller.poll(10_000 * n)
    assert [f.code for f in kept.failures] == ["unstable_series"] * 2
    world.now += 3_600_000
    await poller.poll(10_000 * 62)
    assert len(kept.failures) == 2
