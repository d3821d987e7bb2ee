"""My energy in a real browser: the runs, their file, earlier months, and months that are empty or fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.e2e.conftest import PASSWORD, Hall
from tests.e2e.visit import picture, press, sign_in, visit

pytestmark = pytest.mark.e2e


def refuse(route: Route) -> None:
    """Answer as a server does whose database is gone."""
    problem = '{"status": 500, "code": "internal", "detail": "the database is gone", "hint": "look at the log"}'
    route.fulfill(status=500, content_type="application/problem+json", body=problem)


def test_runs_their_file_and_earlier_months(browser: Browser, hall: Hall, researcher: str) -> None:
    with visit(browser, "about:blank") as seen:
        page = seen.page
        sign_in(page, hall.url, researcher, PASSWORD)
        page.goto(f"{hall.url}/my-energy")
        seen.settle()
        run = page.locator("#runs tbody a").first
        href = run.get_attribute("href") or ""
        assert href.startswith("/jobs/")
        with page.expect_download() as download:
            press(page.get_by_role("link", name="Runs as CSV"))
        lines = Path(download.value.path()).read_text().splitlines()
        assert len(lines) == page.locator("#runs tbody tr").count() + 1  # of this month, with a head
        press(run)
        page.wait_for_url(f"**{href}")
        page.go_back()
        seen.settle()
        press(page.get_by_role("link", name="Previous month"))
        page.wait_for_url("**month=*")
        seen.settle()
        press(page.get_by_role("link", name="Previous month"))  # the last day may have begun in the month before
        expect(page.locator("#runs-panel")).to_contain_text("No runs in this month")
        expect(page.get_by_role("link", name="Next month")).to_be_visible()
        picture(page, "my-energy-empty.png")


def test_a_month_that_cannot_be_read_can_be_tried_again(browser: Browser, hall: Hall, researcher: str) -> None:
    with visit(browser, "about:blank", "390", "dark") as seen:
        page = seen.page
        sign_in(page, hall.url, researcher, PASSWORD)
        page.route("**/api/v1/views/my-energy*", refuse)
        page.goto(f"{hall.url}/my-energy")
        expect(page.get_by_role("alert")).to_contain_text("The database is gone")
        assert seen.overflow() <= 0
        picture(page, "my-energy-error.png")
        page.unroute("**/api/v1/views/my-energy*")
        press(page.get_by_role("button", name="Try again"))
        seen.settle()
        expect(page.locator("#kpis")).to_contain_text("kWh")
