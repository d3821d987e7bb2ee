"""Explore and the time bar in a real browser: the power of a hall last month against the month before."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import Hall
from tests.e2e.visit import MOST_SHIFT, press, visit

pytestmark = pytest.mark.e2e


def test_a_hall_last_month_against_the_month_before(browser: Browser, hall: Hall) -> None:
    """Three actions from the front page: the hall, the window, the comparison."""
    with visit(browser, hall.url) as seen:
        seen.settle()
        press(seen.page.locator("#hall h3 a").first)
        seen.page.wait_for_url("**/explore?*s=room%2Fhall-1*")
        expect(seen.page.locator("#curves-panel h2")).to_contain_text("room hall-1 peaked at")
        press(seen.page.get_by_role("button", name="Last month"))
        seen.page.wait_for_url("**from=*to=*")
        seen.page.get_by_label("Compare with").focus()
        seen.page.keyboard.type("Month")
        seen.page.wait_for_url("**compare=before*")
        query = parse_qs(urlsplit(seen.page.url).query)
        assert (query["s"], query["compare"]) == (["room/hall-1"], ["before"])
        asked = [parse_qs(urlsplit(url).query) for url in seen.asked if "/rooms/hall-1/curve" in url]
        assert any(one["to"][0][:16] == query["from"][0][:16] for one in asked)
        seen.page.go_back()
        seen.page.wait_for_url(lambda url: "compare" not in url)
        seen.page.go_back()
        seen.page.wait_for_url(lambda url: "from=" not in url)
        expect(seen.page.locator("#curves-panel h2")).to_contain_text("room hall-1 peaked at")
        seen.picture("explore.png")
        assert seen.complaints == []


def test_two_series_and_their_ratio(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/explore?s=node/hgx-01&s=rack/r07&combine=ratio", "390") as seen:
        seen.settle()
        assert len(seen.points("#curves")) >= 2
        assert seen.points("#combined")[0] > 10
        assert (seen.page.locator("#files a").first.get_attribute("href") or "").startswith(
            "/api/v1/nodes/hgx-01/curve.csv?"
        )
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT
        assert seen.complaints == []
