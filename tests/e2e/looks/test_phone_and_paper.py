"""Pages on a phone, on paper and without racks: nothing is cut, light text does not go to paper, one panel leads on."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.e2e.conftest import Hall
from tests.e2e.visit import MOST_SHIFT, Visit, visit

pytestmark = pytest.mark.e2e

PRINTED = """() => {
  const theme = () => document.documentElement.dataset.theme;
  dispatchEvent(new Event('beforeprint'));
  const printed = theme();
  dispatchEvent(new Event('afterprint'));
  return [printed, theme()];
}"""


def sideways(seen: Visit, selector: str) -> list[int]:
    """Return by how many pixels each of some elements is wider than the place it has."""
    script = "all => all.map((e) => e.scrollWidth - e.clientWidth)"
    found: list[int] = seen.page.locator(selector).evaluate_all(script)
    return found


def test_the_differences_of_the_checks_are_not_cut_on_a_phone(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/checks?window=24h", "390") as seen:
        seen.settle()
        expect(seen.page.locator("#all tbody tr").first).to_contain_text("±")
        assert max(sideways(seen, "#all-panel .scroll")) <= 0
        seen.picture("checks-phone-390-light.png")


def test_the_readings_of_a_device_come_before_its_identity_on_a_phone(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/devices/pdu-r07-a", "390") as seen:
        seen.settle()
        assert sideways(seen, "#readings") == [0]
        tops = [
            seen.page.locator(panel).bounding_box() for panel in ("#curve-panel", "#readings-panel", "#facts-panel")
        ]
        assert all(box is not None for box in tops)
        heights = [box["y"] for box in tops if box is not None]
        assert heights == sorted(heights)
        assert seen.layout_shift() <= MOST_SHIFT
        assert seen.overflow() <= 0


def test_paper_is_light_and_says_which_window_it_shows(browser: Browser, hall: Hall) -> None:
    with visit(browser, hall.url, "1440", "dark") as seen:
        seen.settle()
        assert seen.page.evaluate(PRINTED) == ["light", "dark"]
        seen.page.emulate_media(media="print")
        expect(seen.page.locator("wl-time .win")).to_be_visible()
        expect(seen.page.locator("wl-time .win")).to_contain_text("Last 24 h")
        expect(seen.page.locator("wl-time .presets")).to_be_hidden()
        assert seen.complaints == []


def test_a_site_without_racks_has_one_panel_that_leads_on(browser: Browser, hall: Hall) -> None:
    def without_racks(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=json.dumps(answer.json() | {"racks": []}))

    with visit(browser, "about:blank") as seen:
        seen.page.route("**/api/v1/facility?*", without_racks)
        seen.page.goto(hall.url)
        expect(seen.page.locator("#site-panel")).to_contain_text("No racks yet")
        expect(seen.page.locator("#site-panel").get_by_role("link", name="Add a device")).to_be_visible()
        for panel in ("#hall-panel", "#worst-panel", "#changes-panel", "#devices-panel"):
            expect(seen.page.locator(panel)).to_be_hidden()
        assert seen.complaints == []
