"""The API reference in a real browser, under the dashboard's Content-Security-Policy."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import Hall
from tests.e2e.visit import LOOKS, MOST_SHIFT, visit

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_the_first_operation_opens(browser: Browser, hall: Hall, size: str, theme: str) -> None:
    with visit(browser, f"{hall.url}/docs", size, theme) as seen:
        first = seen.page.locator("#reference .opblock").first
        expect(first).to_be_visible()
        expect(seen.page.locator("wl-top nav")).to_be_visible()
        first.locator(".opblock-summary-control").click()
        expect(first.locator(".opblock-body")).to_contain_text("Responses")
        expect(first.locator(".responses-table").first).to_contain_text("application/json")
        seen.picture(f"reference-{size}-{theme}.png")
        assert seen.complaints == []
        assert seen.hosts == {"127.0.0.1"}
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT
