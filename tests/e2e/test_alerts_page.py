"""The page of alerts in a real browser: a device event raises one, a user acknowledges it, and a rule is set."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route, expect

from app.store.alerts.alert_list import AlertFilter
from app.store.devices.health import DeviceEvent
from collectors.contract import wall_clock_ms
from tests.e2e.conftest import PASSWORD, Hall
from tests.e2e.visit import LOOKS, MOST_SHIFT, sign_in, visit

pytestmark = pytest.mark.e2e
PATIENCE_S = 120.0
DEVICE = "pdu-r08-a"
OPEN, OFF = "pdu-r08-a (bank 1) reports an open breaker", "pdu-r08-a (outlet 7) reports that an outlet is off"


@pytest.fixture(scope="module")
def trouble(hall: Hall) -> Iterator[str]:
    """A PDU whose breaker opened and whose outlet was turned off, as its notifications report; the server finds it."""
    now = wall_clock_ms()
    health = hall.stores.health
    health.record_events(
        [
            DeviceEvent(now - 240_000, "breaker_open", DEVICE, "bank/1", "critical", "the breaker is open: B1"),
            DeviceEvent(now - 200_000, "outlet_off", DEVICE, "outlet/7", "warning", "an outlet was turned off: node-7"),
        ]
    )
    end = time.monotonic() + PATIENCE_S
    while not hall.stores.alerts.listing(AlertFilter(device=DEVICE, rule="device_event"), 2, None)[0]:
        assert time.monotonic() < end, "the server found nothing"
        time.sleep(0.2)
    yield DEVICE
    later = wall_clock_ms()
    health.record_events(
        [DeviceEvent(later, kind, DEVICE, "", "info", "over") for kind in ("breaker_closed", "outlet_on")]
    )


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_the_page_of_alerts(browser: Browser, hall: Hall, trouble: str, size: str, theme: str) -> None:
    with visit(browser, f"{hall.url}/alerts", size, theme) as seen:
        seen.settle()
        expect(seen.page.locator("#active li").first).to_contain_text(OPEN)
        expect(seen.page.locator("#active li", has_text=OFF)).to_contain_text("node-7")
        expect(seen.page.locator("wl-top .count")).to_be_visible()
        expect(seen.page.locator("#rules details")).to_have_count(14)
        seen.picture(f"alerts-{size}-{theme}.png")
        assert seen.hosts == {"127.0.0.1"}
        assert seen.complaints == []
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT


def test_one_is_acknowledged_with_a_note(browser: Browser, hall: Hall, trouble: str) -> None:
    with visit(browser, f"{hall.url}/alerts") as seen:
        seen.settle()
        one = seen.page.locator("#active li", has_text=OPEN)
        one.get_by_role("button", name="with a note").click()
        one.get_by_role("textbox", name="Your name").fill("ada")
        one.get_by_role("textbox", name="Note").fill("on my way")
        seen.page.keyboard.press("Enter")
        expect(one).to_contain_text("acknowledged by ada")
        expect(one).to_contain_text("on my way")
        seen.page.locator("#active li", has_text=OFF).get_by_role("button", name="Acknowledge: ").click()
        expect(seen.page.locator("#active li", has_text=OFF)).to_contain_text("acknowledged by ada")
        assert seen.complaints == []


def test_a_silence_is_added_and_ended(browser: Browser, hall: Hall, trouble: str) -> None:
    with visit(browser, f"{hall.url}/alerts", "390") as seen:
        seen.settle()
        seen.page.get_by_text("Add a silence or a maintenance window").click()
        form = seen.page.locator("#silences form")
        form.get_by_label("About").select_option("device")
        form.get_by_label("Your name").fill("ada")
        form.get_by_label("Key").fill("pdu-r99-x")
        form.get_by_role("button", name="Add").click()
        expect(form.get_by_role("alert")).to_contain_text("there is no device 'pdu-r99-x'")
        form.get_by_label("Key").fill(DEVICE)
        form.get_by_role("button", name="Add").click()
        expect(seen.page.locator("#silences li")).to_contain_text(DEVICE)
        expect(seen.page.locator("#active li", has_text=OPEN)).to_contain_text("silenced until")
        seen.picture("alerts-silenced-390-light.png")
        seen.page.get_by_role("button", name=f"End the silence of {DEVICE}").click()
        expect(seen.page.locator("#silences li")).to_have_count(0)
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT


def test_a_user_who_signed_in_is_not_asked_for_a_name(
    browser: Browser, hall: Hall, trouble: str, researcher: str
) -> None:
    with visit(browser, "about:blank") as seen:
        sign_in(seen.page, hall.url, researcher, PASSWORD)
        seen.page.goto(f"{hall.url}/alerts")
        seen.settle()
        expect(seen.page.locator("wl-top .av")).to_have_text("AL")
        one = seen.page.locator("#active li", has_text=OPEN)
        one.get_by_role("button", name="the note: ").click()
        expect(one.get_by_role("textbox")).to_have_count(1)
        one.get_by_role("textbox", name="Note").fill("replaced")
        seen.page.keyboard.press("Enter")
        expect(one).to_contain_text("replaced")
        expect(one).not_to_contain_text("acknowledged by ada")
        assert seen.complaints == []


def test_an_event_is_closed_by_hand(browser: Browser, hall: Hall, trouble: str) -> None:
    with visit(browser, f"{hall.url}/alerts") as seen:
        seen.settle()
        seen.page.get_by_role("button", name=f"Close: {OFF}").click()
        one = seen.page.locator("#active li", has_text=OFF)
        one.get_by_role("textbox", name="Your name").fill("ada")
        one.get_by_role("button", name="Close", exact=True).click()
        expect(one).to_have_count(0)


def test_the_answer_of_a_receiver_to_a_test_is_shown(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/alerts", "1440", "dark") as seen:
        seen.settle()
        seen.page.get_by_role("button", name="Send a test to ops").click()
        expect(seen.page.locator("#receivers li")).to_contain_text("Test: did not respond (ConnectError)")
        seen.picture("alerts-receiver-1440-dark.png")


def test_a_rule_is_set_and_a_wrong_one_is_rejected(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/alerts") as seen:
        seen.settle()
        rule = seen.page.locator("[data-rule=inlet_temperature]")
        rule.locator("summary").click()
        rule.get_by_label("Warning above").fill("500")
        rule.get_by_role("button", name="Save").click()
        expect(rule.get_by_role("alert")).to_contain_text("500 is not within 5…60 °C")
        rule.get_by_label("Warning above").fill("26")
        rule.get_by_role("button", name="Save").click()
        expect(rule.locator("summary")).to_contain_text("above 26 °C")
        rule.locator("summary").click()
        rule.get_by_role("button", name="Defaults").click()
        expect(rule.locator("summary")).to_contain_text("above 27 °C")


@pytest.mark.parametrize("page", ["/", "/racks/r08", "/devices/pdu-r08-a"])
def test_other_pages_show_what_is_active(browser: Browser, hall: Hall, trouble: str, page: str) -> None:
    with visit(browser, f"{hall.url}{page}") as seen:
        seen.settle()
        expect(seen.page.locator("#alerts")).to_contain_text("reports an open breaker")
        seen.picture(f"alerts-on{page.replace('/', '-')}.png")
        assert seen.complaints == []
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT


@pytest.mark.parametrize("size", ["1440", "390"])
def test_alerts_that_begin_move_nothing(browser: Browser, hall: Hall, trouble: str, size: str) -> None:
    """Others than the worst wait behind a button, so that nobody clicks beside what they meant."""
    with visit(browser, f"{hall.url}/racks/r08", size) as seen:

        def with_more(route: Route) -> None:
            answer = route.fetch()
            found = answer.json()
            route.fulfill(response=answer, json=found | {"items": 5 * found["items"][:1], "next": None})

        seen.settle()
        before = seen.layout_shift()
        seen.page.route("**/api/v1/alerts?*", with_more)
        strip = seen.page.locator("#alerts")
        seen.page.evaluate("document.dispatchEvent(new CustomEvent('wl-alerts', { detail: { active: 9, crit: 9 } }))")
        expect(strip.get_by_role("button")).to_have_text("4 more")
        assert seen.layout_shift() == pytest.approx(before, abs=0.005)
        strip.get_by_role("button").click()
        expect(strip.locator("li")).to_have_count(5)
        strip.get_by_role("button", name="Show one").click()
        expect(strip.locator("li")).to_have_count(1)
        seen.picture(f"alerts-strip-{size}.png")
