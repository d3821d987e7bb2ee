"""The devices page and the page of one device in a real browser, with a device that failed and a notification."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from app.store.devices import Renewal
from app.store.devices.health import DeviceEvent, PollFailure
from app.store.facility import Device
from app.store.timeseries import FrameBatch
from collectors.contract import Layout, Quantity, Series, wall_clock_ms
from tests.e2e.conftest import Hall
from tests.e2e.visit import LOOKS, MOST_SHIFT, picture, press, visit

pytestmark = pytest.mark.e2e
MINUTE_MS = 60_000


@pytest.fixture(scope="module")
def pdu(hall: Hall) -> str:
    """A PDU of the demo that failed for a while an hour ago, and had an outlet turned off."""
    key = next(d.key for d in hall.plant.facility.devices.values() if d.key.startswith("pdu"))
    now = wall_clock_ms()
    failed = [now - 70 * MINUTE_MS + i * 30_000 for i in range(20)]
    hall.stores.health.record_failures(
        [PollFailure(key, t, "device_timeout", f"snmp://{key} did not answer within 3 s", 3000, "west") for t in failed]
    )
    hall.stores.health.record_events(
        [
            DeviceEvent(now - 20 * MINUTE_MS, "breaker_open", key, "bank/2", "critical", "the breaker is open: B2"),
            DeviceEvent(
                now - 19 * MINUTE_MS, "outlet_off", key, "outlet/7", "warning", "an outlet was turned off: node-7"
            ),
            DeviceEvent(
                now - 18 * MINUTE_MS, "trap", key, "1.3.6.1.4.1.99.0.7", "info", "notification 1.3.6.1.4.1.99.0.7"
            ),
        ]
    )
    hall.poll(key)
    return key


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_the_devices_page(browser: Browser, hall: Hall, pdu: str, size: str, theme: str) -> None:
    with visit(browser, f"{hall.url}/devices", size, theme) as seen:
        seen.settle()
        rows = seen.page.locator("#table tbody tr")
        assert rows.count() == len(hall.stores.facility.now().devices)
        row = seen.page.locator("#table tbody tr", has=seen.page.locator(f'a[href="/devices/{pdu}"]'))
        expect(row).to_contain_text("responding")
        seen.picture(f"devices-{size}-{theme}.png")
        assert seen.hosts == {"127.0.0.1"}
        assert seen.complaints == []
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_the_page_of_a_device(browser: Browser, hall: Hall, pdu: str, size: str, theme: str) -> None:
    with visit(browser, f"{hall.url}/devices/{pdu}", size, theme) as seen:
        seen.settle()
        expect(seen.page.locator("#events")).to_contain_text("breaker open")
        expect(seen.page.locator("#events")).to_contain_text("outlet/7")
        expect(seen.page.locator("#failures tbody tr")).to_have_count(1)
        expect(seen.page.locator("#failures")).to_contain_text("20 × device timeout")
        assert seen.points("#answers") == [96]
        outlet = seen.page.locator('#readings tr[data-point="outlet/7"]')
        expect(outlet).to_contain_text("Outlet 7")
        outlet.get_by_role("button").click()
        expect(seen.page.locator("#curve-panel h2")).to_contain_text("Outlet 7")
        assert "point=outlet%2F7" in seen.page.url
        seen.picture(f"device-{size}-{theme}.png")
        assert seen.hosts == {"127.0.0.1"}
        assert seen.complaints == []
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT


def test_what_is_looked_for_lives_in_the_address(browser: Browser, hall: Hall, pdu: str) -> None:
    with visit(browser, f"{hall.url}/devices?q={pdu}") as seen:
        seen.settle()
        expect(seen.page.locator("#table tbody tr")).to_have_count(1)
        seen.page.locator("#q").fill("no such thing")
        expect(seen.page.locator("#table-panel")).to_contain_text("No device matches")
        assert "q=no+such+thing" in seen.page.url


def test_the_rack_page_shows_what_happened(browser: Browser, hall: Hall, pdu: str) -> None:
    rack = hall.stores.facility.now().devices[pdu].rack
    with visit(browser, f"{hall.url}/racks/{rack}") as seen:
        seen.settle()
        expect(seen.page.locator("#events")).to_contain_text("the breaker is open: B2")
        expect(seen.page.locator("#events a").first).to_have_attribute("href", f"/devices/{pdu}")


def test_outlet_7_over_last_week_as_a_file(browser: Browser, hall: Hall, pdu: str) -> None:
    """Three actions from the front page: the search for the outlet, the window, the file."""
    with visit(browser, hall.url) as seen:
        seen.settle()
        page = seen.page
        page.keyboard.press("Control+k")
        expect(page.get_by_role("combobox", name="Search racks")).to_be_focused()
        page.keyboard.type(f"{pdu} outlet 7")
        expect(page.locator(".palette [aria-selected=true] .name")).to_have_text(f"{pdu} outlet 7")
        page.keyboard.press("Enter")
        page.wait_for_url("**point=outlet%2F7**")
        seen.settle()
        press(page.get_by_role("button", name="Last week"))
        page.wait_for_url("**from=*to=*")
        link = page.locator('#readings tr[data-point="outlet/7"] a[download]')
        start = page.url.split("from=")[1][:10]
        expect(link).to_have_attribute("href", re.compile(f"from={start}"))
        with page.expect_download() as download:
            press(link)
        assert download.value.suggested_filename == f"{pdu}-outlet-7-power-{start}.csv"
        assert Path(download.value.path()).read_text().startswith("t,outlet/7 power_w")


def test_the_device_that_does_not_answer_and_why(browser: Browser, hall: Hall) -> None:
    """One action from the front page: the silent device in the panel of the devices."""
    for device in hall.plant.facility.devices:  # the others respond, however late this runs
        hall.poll(device)
    hall.stores.facility.upsert([Device(key="pdu-lost", kind="pdu", address="snmp://127.0.0.1:9", interval_s=10.0)])
    now = wall_clock_ms()
    layout = Layout("pdu-lost", "main", 10_000, (Series("outlet/1", Quantity.POWER),))
    hall.stores.frames.write([FrameBatch(layout, np.array([now - 60_000]), np.array([[100.0]]))])
    lost = [PollFailure("pdu-lost", now - 20_000, "device_timeout", "no answer within 3 s", 3000, "west")]
    hall.stores.health.record_failures(lost)
    try:
        with visit(browser, hall.url) as seen:
            press(seen.page.locator("#devices a", has_text="pdu-lost"))
            expect(seen.page.locator("#of")).to_have_text("no answer within 3 s")
            expect(seen.page.locator("#readings")).to_contain_text("silent")
    finally:
        hall.stores.facility.delete("device", "pdu-lost")


def test_a_device_is_added_by_keyboard(browser: Browser, hall: Hall) -> None:
    now = wall_clock_ms()
    hall.stores.leases.renew(Renewal("west", 600_000), {}, {}, now)
    with visit(browser, f"{hall.url}/add-device", "390", "dark") as seen:
        page = seen.page
        expect(page.get_by_label("Address")).to_be_focused()
        page.keyboard.type("10.0.0.9")
        page.keyboard.press("Enter")
        expect(page.locator("#read")).to_contain_text("Waiting for collector west")
        (probe,) = hall.stores.probes.take("west", now, now)
        assert (probe.address, probe.profile, probe.settings) == ("snmp://10.0.0.9", "auto", {})
        reading = {"point": "outlet/1", "quantity": "power", "value": 431.5, "unit": "W", "sensor": ""}
        report = {"profile": "apc-rpdu2", "vendor": "APC", "model": "<b>AP8841</b>", "kind": "pdu", "generic": []}
        found = report | {"notes": [], "missing": [], "readings": [reading]}
        assert hall.stores.probes.finish(probe.id, "west", now, found, None)
        expect(page.locator("#read-panel h2")).to_have_text("2 · APC <b>AP8841</b>: 1 value")
        expect(page.locator("#read tbody tr")).to_have_text(re.compile("outlet/1power 432.W"))
        lines = page.locator("#add code")
        expect(lines).to_contain_text('label = "APC <b>AP8841</b>"')
        page.get_by_label("Feed").focus()
        page.keyboard.type("A")
        expect(lines).to_contain_text('feed = "A"')
        picture(page, "add-device-390-dark.png")
        page.keyboard.press("Enter")
        expect(page.locator("#added")).to_contain_text("pdu-10-0-0-9 is added")
        added = hall.stores.facility.now().devices["pdu-10-0-0-9"]
        assert (added.kind, added.feed, added.profile) == ("pdu", "A", "apc-rpdu2")
        assert seen.complaints == []
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT
    hall.stores.leases.release("west")
    hall.stores.facility.apply([], [("device", "pdu-10-0-0-9")], wall_clock_ms())


def test_a_device_without_failed_polls_says_so_in_one_sentence(browser: Browser, hall: Hall) -> None:
    now_ms = wall_clock_ms()
    from_, to = (datetime.fromtimestamp(now_ms // 1000 - hours * 3600, UTC) for hours in (3, 2))
    window = f"from={from_:%Y-%m-%dT%H:%M:%SZ}&to={to:%Y-%m-%dT%H:%M:%SZ}"
    with visit(browser, f"{hall.url}/devices/pdu-r08-a?{window}") as seen:
        seen.settle()
        expect(seen.page.locator("#answers-panel")).to_contain_text("Every poll of this window was answered.")
        expect(seen.page.locator("#answers")).to_be_hidden()
        expect(seen.page.locator("#failures-panel")).to_be_hidden()
        seen.picture("device-all-answered-1440-light.png")
        assert seen.complaints == []
