"""Titles state what the numbers below them say: they follow the live stream, without a load of the page."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.e2e.conftest import Hall
from tests.e2e.visit import Visit, visit

pytestmark = pytest.mark.e2e


def answer_with(seen: Visit, pattern: str, change: dict[str, Any]) -> None:
    """Answer requests for a view with other titles, as if it were old."""

    def old(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=json.dumps(answer.json() | change))

    seen.page.route(pattern, old)


def old_once(seen: Visit, pattern: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the first answer for a view, as if it were old."""
    asked: list[str] = []

    def old(route: Route) -> None:
        asked.append(route.request.url)
        answer = route.fetch()
        view = answer.json()
        if len(asked) == 1:
            change(view)
        route.fulfill(response=answer, body=json.dumps(view))

    seen.page.route(pattern, old)


SAME_SHARE = """() => {
  const [share] = document.querySelector('#share .mid').innerText.match(/\\d+/) ?? [];
  const title = document.querySelector('.site > header h2').innerText;
  return share && title.match(/draws (?:at least )?(\\d+)/)?.[1] === share;
}"""


def test_the_titles_of_the_facility_follow_the_stream(browser: Browser, hall: Hall) -> None:
    for device in hall.plant.facility.devices:
        hall.poll(device)
    names = ("load", "headroom", "imbalance", "inlet", "age")
    stale = "The facility draws 1\u2009% of its usable power"
    old = {
        "title": stale,
        "titles": dict.fromkeys(names, "R99 is above 80\u2009%"),
        "worst_titles": dict.fromkeys(names, "R99 is closest to its limit"),
        "undecided": dict.fromkeys(names, "Whether R99 is below 80\u2009% cannot be said yet."),
    }
    with visit(browser, "about:blank") as seen:
        answer_with(seen, "**/api/v1/facility?*", old)
        seen.page.goto(f"{hall.url}/?zone=utc")
        expect(seen.page.locator("#share .mid")).to_contain_text("of")
        site = seen.page.locator(".site > header h2")
        expect(site).not_to_have_text(stale)
        seen.page.wait_for_function(SAME_SHARE)
        for selector in ("#hall-panel h2", "#worst-panel h2", "#undecided"):
            expect(seen.page.locator(selector)).not_to_contain_text("R99")
        assert seen.complaints == []


def test_the_cords_of_a_node_follow_its_power(browser: Browser, hall: Hall) -> None:
    with visit(browser, "about:blank") as seen:
        old_once(seen, "**/api/v1/views/node/*", lambda view: view.update(cords_title="6 cords, 99.99 kW together"))
        seen.page.goto(f"{hall.url}/nodes/hgx-01?zone=utc")
        title = seen.page.locator("#cords-panel h2")
        expect(title).to_contain_text("99.99")
        now = seen.page.locator("#figures .lead .v")
        for device in ("pdu-r07-a", "pdu-r07-b") * 2:
            before = now.inner_text()
            hall.poll(device)
            expect(now).not_to_have_text(before)
        expect(title).not_to_contain_text("99.99")


def test_the_feeds_of_a_rack_follow_its_lines(browser: Browser, hall: Hall) -> None:
    """R09 has one meter: its title is the load of its circuit."""

    def old(view: dict[str, Any]) -> None:
        view["feeds"]["measured"]["title"] = "The most loaded circuit is at 1\u2009% of its limit"

    with visit(browser, "about:blank") as seen:
        old_once(seen, "**/api/v1/views/rack/*", old)
        seen.page.goto(f"{hall.url}/racks/r09?zone=utc")
        title = seen.page.locator("#feeds-panel h2")
        expect(title).to_have_text("The most loaded circuit is at 1\u2009% of its limit")
        line = seen.page.locator("#feeds .ln .n").first
        for _ in range(2):
            before = line.inner_text()
            hall.poll("meter-r09")
            expect(line).not_to_have_text(before)
        expect(title).not_to_contain_text("at 1\u2009%")
