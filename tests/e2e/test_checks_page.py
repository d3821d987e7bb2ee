"""The checks page in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import Hall
from tests.e2e.visit import LOOKS, MOST_SHIFT, visit

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_every_check_is_listed(browser: Browser, hall: Hall, size: str, theme: str) -> None:
    with visit(browser, f"{hall.url}/checks?window=6h", size, theme) as seen:
        seen.settle()
        expect(seen.page.locator("#all tbody tr").first).to_be_visible()
        expect(seen.page.locator("#all-panel h2")).to_contain_text("one-sided without contradiction")
        expect(seen.page.locator("#all td:nth-child(5) small").filter(has_text="±").first).to_be_visible()
        seen.picture(f"checks-{size}-{theme}.png")
        assert seen.complaints == []
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT


def test_one_rack_lives_in_the_address(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/checks") as seen:
        seen.settle()
        seen.page.locator("#rack").select_option("r07")
        assert seen.page.url.endswith("?rack=r07")
        expect(seen.page.locator("#all")).to_contain_text("pdu-r07-a")
        expect(seen.page.locator("#all")).not_to_contain_text("pdu-r08-a")
        assert seen.complaints == []
