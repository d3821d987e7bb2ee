"""The checks page in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import Hall
from tests.e2e.visit import LOOKS, visit

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_every_check_is_listed(browser: Browser, hall: Hall, screenshots: Path, size: str, theme: str) -> None:
    with visit(browser, f"{hall.url}/checks?hours=6", size, theme) as seen:
        seen.settle()
        expect(seen.page.locator("#all tbody tr").first).to_be_visible()
        expect(seen.page.locator("#all-panel h2")).to_contain_text("agree")
        seen.page.screenshot(path=screenshots / f"checks-{size}-{theme}.png", full_page=True)
        assert seen.complaints == []
        assert seen.overflow() <= 0


def test_one_rack_lives_in_the_address(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/checks") as seen:
        seen.settle()
        seen.page.locator("#rack").select_option("r07")
        assert seen.page.url.endswith("?rack=r07")
        expect(seen.page.locator("#all")).to_contain_text("pdu-r07-a")
        expect(seen.page.locator("#all")).not_to_contain_text("pdu-r08-a")
        assert seen.complaints == []
