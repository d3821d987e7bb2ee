"""The faults of the demo in a real browser: a silent PDU, a dead feed, a wrong clock, a rack near its limit, an event.

The clock of the server is fixed at 20:30 UTC, in the middle of these faults (see `simulator/plant/faults.py`).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from app.server.application import create_app
from app.server.serving import Server
from app.services.alerts import QUICK, evaluate
from app.services.facility.apply_facility import apply_file
from app.settings import Settings
from app.store.database.engine import migrate, open_engine
from app.store.devices.health import DeviceEvent
from app.store.timeseries import FrameBatch
from collectors.contract import HOUR_MS, MINUTE_MS
from collectors.simulator.agents.agents import ReportedValues, learn
from collectors.simulator.history import frames, minutes
from collectors.simulator.plant import clock_error_ms, device_events
from collectors.simulator.plant.facility_layout import DEMO, read_facility_layout
from collectors.simulator.plant.plant import Plant
from tests.e2e.conftest import PATIENCE_S, _wait_for, aside
from tests.e2e.visit import LOOKS, MOST_SHIFT, Visit, visit

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
NOW = 1_792_009_800_000  # 2026-10-14T20:30:00Z
SILENT_SINCE = "16:09"  # in New York, the zone of the site: the last reading before 20:10 UTC
AT_LEAST = re.compile(r"at least")


class Clock:
    """The time of the server; it moves while alerts are evaluated, then it is fixed."""

    now = NOW - 10 * MINUTE_MS

    def __call__(self) -> int:
        return self.now


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with four hours of the demo's readings up to 20:30, and its alerts."""
    settings = Settings(data_dir=tmp_path_factory.mktemp("faulty"))
    engine = open_engine(settings.database_url)
    migrate(engine)
    clock = Clock()
    app = create_app(settings, clock, engine)
    stores = app.state.stores
    apply_file(stores, DEMO)
    plant = Plant(read_facility_layout())
    learned: dict[str, ReportedValues] = {}

    async def learn_all() -> None:
        for key, device in plant.facility.devices.items():
            learned[key] = await learn(plant, device, NOW)

    def store(from_ms: int, to_ms: int) -> None:
        """Store the readings of every device in a stretch of time."""
        batches = []
        for key in plant.facility.devices:
            late_ms = -clock_error_ms(key, to_ms)
            for layout, t_ms, values in frames(
                plant, learned[key], key, minutes(from_ms + 1 - late_ms, to_ms + 1 - late_ms)
            ):
                batches.append(FrameBatch(layout, t_ms, values))
        stores.frames.write([batch for batch in batches if len(batch.t_ms)])

    aside(learn_all())
    store(NOW - 4 * HOUR_MS, clock.now)
    reported = device_events(NOW - 4 * HOUR_MS, NOW)
    stores.health.record_events([DeviceEvent(*_event(e)) for e in reported])
    wrong = "the node's clock is -420.0 s from the collector's"
    stores.health.record_events(
        [DeviceEvent(NOW - 30 * MINUTE_MS, "clock_differs", "inf-01-exporter", "", "warning", wrong)]
    )
    while clock.now < NOW:
        store(clock.now, clock.now + MINUTE_MS)
        clock.now += MINUTE_MS
        evaluate(stores, "test", QUICK)
    server = Server(app, host="127.0.0.1", port=0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    _wait_for(lambda: server.started)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(PATIENCE_S)
    engine.dispose()


def _event(event: dict[str, object]) -> tuple[object, ...]:
    return tuple(event[name] for name in ("t", "kind", "device", "subject", "severity", "detail"))


@pytest.mark.parametrize(("size", "theme"), LOOKS)
@pytest.mark.parametrize("page", ["/", "/racks/r10", "/nodes/sto-01", "/nodes/inf-02", "/racks/r12", "/alerts"])
def test_a_page_with_faults_draws(browser: Browser, faulty: str, page: str, size: str, theme: str) -> None:
    with visit(browser, faulty + page, size, theme) as seen:
        seen.settle()
        name = page.strip("/").replace("/", "-") or "facility"
        seen.picture(f"partial-{name}-{size}-{theme}.png")
        assert seen.complaints == []
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT


def _text(page: Page, selector: str) -> str:
    return page.locator(selector).inner_text()


def open_page(seen: Visit) -> Page:
    seen.settle()
    return seen.page


def test_a_silent_pdu_is_named_with_its_last_value_and_no_sentence_gives_an_all_clear(
    browser: Browser, faulty: str
) -> None:
    with visit(browser, f"{faulty}/") as seen:
        page = open_page(seen)
        expect(page.locator("#atleast")).to_have_text("at least")
        expect(page.locator("#total-missing")).to_contain_text("pdu-r10-b not responding (")
        expect(page.locator("#total-missing")).to_contain_text(f"at {SILENT_SINCE})")
        partial = re.compile(r"draws at least \d+\u2009% .* missing|not responding")
        expect(page.locator(".site h2")).to_have_text(partial)
        expect(page.locator("#undecided")).to_contain_text(
            "Whether R10 · storage is below 80\u2009% cannot be said yet."
        )
        expect(page.locator("#share")).to_contain_text("at least")
        expect(page.locator("#share .miss")).to_be_attached()
        expect(page.locator("#facts")).to_contain_text("≥")
        expect(page.locator(".tile.partial")).to_contain_text("R10")
        expect(page.locator("#worst .rk").first).to_be_attached()
        expect(page.locator("#missing")).to_contain_text("pdu-r10-b not responding")
        assert "Every rack is below" not in _text(page, "main")


def test_its_rack_and_its_nodes_are_known_in_part(browser: Browser, faulty: str) -> None:
    with visit(browser, f"{faulty}/racks/r10") as seen:
        page = open_page(seen)
        expect(page.locator("#now")).to_have_text(AT_LEAST)
        expect(page.locator("#missing")).to_contain_text("pdu-r10-b not responding")
        expect(page.locator("#verdict")).to_contain_text("cannot be said yet")
        expect(page.locator("#elevation [data-node=sto-01]")).to_contain_text("≥")
        assert "within its limit." not in _text(page, "#verdict")
    with visit(browser, f"{faulty}/nodes/sto-01") as seen:
        page = open_page(seen)
        expect(page.locator("#figures .lead")).to_contain_text("at least")
        expect(page.locator("#figures .lead")).to_contain_text("pdu-r10-b not responding")
        expect(page.locator("#cords-panel h2")).to_contain_text("1 of 2 cords is silent")


def test_a_dead_feed_carries_nothing_and_the_page_says_so(browser: Browser, faulty: str) -> None:
    with visit(browser, f"{faulty}/nodes/inf-02") as seen:
        page = open_page(seen)
        expect(page.locator("#cords-panel h2")).to_contain_text("pdu-r11-b outlet/5 carries nothing")


def test_an_exporter_whose_clock_is_wrong(browser: Browser, faulty: str) -> None:
    with visit(browser, f"{faulty}/devices/inf-01-exporter") as seen:
        page = open_page(seen)
        expect(page.locator("main")).to_contain_text("the node's clock is -420.0 s from the collector's")
    with visit(browser, f"{faulty}/nodes/inf-01") as seen:
        page = open_page(seen)
        assert "Σ GPU" not in _text(page, "#figures .lead")  # the wall is measured


def test_a_rack_near_its_limit_and_a_device_event_are_alerts(browser: Browser, faulty: str) -> None:
    with visit(browser, f"{faulty}/alerts") as seen:
        page = open_page(seen)
        active = page.locator("#active")
        expect(active).to_contain_text("R12 · batch close to its capacity")
        expect(active).to_contain_text("pdu-r12-a (bank 1) reports that it is near overload")
        expect(active).to_contain_text("pdu-r10-b stopped responding")
        expect(active).to_contain_text("Not decided: load of R10 · storage")
