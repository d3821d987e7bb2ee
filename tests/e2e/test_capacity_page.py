"""The capacity page in a real browser: what binds, what fits, what if."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import Hall
from tests.e2e.visit import LOOKS, MOST_SHIFT, visit

pytestmark = pytest.mark.e2e

QUESTION = "/capacity?add=r07:hgx-h100:2&fail=pdu-r08-a"


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_what_fits_is_shown_beside_every_rack(browser: Browser, hall: Hall, size: str, theme: str) -> None:
    with visit(browser, hall.url + QUESTION, size, theme) as seen:
        seen.settle()
        expect(seen.page.locator("#planner tbody tr")).to_have_count(6)
        for cell in seen.page.locator("#planner .c-binds").filter(visible=True).all()[1:]:
            expect(cell).not_to_be_empty()
        assert sum("/api/v1/capacity/racks?" in url for url in seen.asked) == 1  # all racks in one answer
        expect(seen.page.locator("#fit .answer")).to_contain_text("fits in R07")
        expect(seen.page.locator("#fit .binds")).to_contain_text("U space")
        expect(seen.page.locator("#changes li").first).to_be_visible()
        expect(seen.page.locator("#verdict")).to_contain_text("power")
        seen.page.get_by_role("button", name="Menu: Racks").click()
        with seen.page.expect_download() as download:
            seen.page.get_by_role("menuitem", name="Limits and loads").click()
        assert download.value.suggested_filename == "headroom-rack.xlsx"
        seen.picture(f"capacity-{size}-{theme}.png")
        assert seen.hosts == {"127.0.0.1"}
        assert seen.complaints == []
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT


def test_the_question_lives_in_the_address(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/capacity") as seen:
        seen.settle()
        expect(seen.page.locator("#verdict")).to_be_hidden()
        seen.page.locator("#ask select[name=pdu]").select_option("pdu-r08-a")
        seen.page.get_by_role("button", name="Fail", exact=True).click()
        expect(seen.page.locator("#verdict")).to_contain_text("power")
        assert seen.page.url.endswith("?fail=pdu-r08-a")
        seen.page.locator("#ask select[name=pdu]").select_option("feed:hall-1/A")
        seen.page.get_by_role("button", name="Fail", exact=True).click()
        expect(seen.page.locator("#verdict")).to_contain_text("feed hall-1/A")
        seen.page.get_by_role("button", name="Remove: feed hall-1/A fails").click()
        seen.page.get_by_role("button", name="Remove: pdu-r08-a fails").click()
        expect(seen.page.locator("#verdict")).to_be_hidden()
        assert seen.page.url.endswith("/capacity")
        for name in ("Room", "Row", "Feed", "PDU"):
            seen.page.locator("#level").get_by_role("button", name=name, exact=True).click()
            expect(seen.page.locator("#planner tbody tr").first).to_be_visible()
            expect(seen.page.locator("#planner thead th").first).to_contain_text(name)
        seen.page.locator("#level").get_by_role("button", name="Rack", exact=True).click()
        seen.page.locator("#basis").get_by_role("button", name="Rated").click()
        expect(seen.page.locator("#fits-note")).to_contain_text("Rated")
        assert seen.complaints == []
