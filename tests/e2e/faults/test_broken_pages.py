"""Pages in a real browser while the server answers errors or not at all: they say so, and keep what they have."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.e2e.conftest import PASSWORD, PATIENCE_S, Hall
from tests.e2e.visit import picture, sign_in, visit

pytestmark = pytest.mark.e2e

GONE = "The database is gone"
EXPLORE = "/explore?s=node/hgx-01&s=rack/r07"
RETRY_UNTIL_STALE = """() => {
  document.dispatchEvent(new Event('wl-retry'));
  return !document.querySelector('.stale-bar').hidden;
}"""
LOSE = "document.dispatchEvent(new CustomEvent('wl-server', { detail: { ok: false, asked: true } }))"


def refuse(route: Route) -> None:
    """Answer as a server does whose database is gone."""
    problem = '{"status": 503, "code": "internal", "detail": "the database is gone", "hint": "look at the log"}'
    route.fulfill(status=503, content_type="application/problem+json", body=problem)


def retry(page: Page) -> None:
    """Press "Try again" in the first panel that has it."""
    page.get_by_role("button", name="Try again").first.click()


def test_curves_stay_while_the_server_is_gone(browser: Browser, hall: Hall) -> None:
    with visit(browser, hall.url + EXPLORE) as seen:
        seen.settle()
        before = seen.page.locator("#values").inner_text()
        seen.page.route("**/api/v1/**/curve*", lambda route: route.abort())
        seen.page.wait_for_function(RETRY_UNTIL_STALE, polling=1000)  # a retry while another is under way is none
        expect(seen.page.locator(".stale-bar")).to_contain_text("No connection to the server")
        expect(seen.page.locator("#curves .xy").first).to_be_attached()
        assert seen.page.locator("#values").inner_text() == before


def test_what_cannot_be_read_is_an_error_and_no_empty_window(browser: Browser, hall: Hall) -> None:
    with visit(browser, "about:blank") as seen:
        seen.page.route("**/api/v1/**/curve*", refuse)
        seen.page.goto(hall.url + EXPLORE)
        expect(seen.page.get_by_role("alert").filter(has_text=GONE)).to_be_visible()
        expect(seen.page.locator("#curves-panel")).not_to_contain_text("No readings")
        seen.page.unroute("**/api/v1/**/curve*")
        retry(seen.page)
        expect(seen.page.locator("#curves .xy").first).to_be_attached()


def test_every_panel_of_the_users_says_what_is_wrong(browser: Browser, hall: Hall, researcher: str) -> None:
    with visit(browser, "about:blank", "390", "dark") as seen:
        page = seen.page
        sign_in(page, hall.url, researcher, PASSWORD)
        page.route("**/api/v1/audit*", refuse)
        page.goto(f"{hall.url}/users")
        expect(page.get_by_role("alert").filter(has_text=GONE)).to_have_count(4)
        picture(page, "users-error.png")
        assert seen.overflow() <= 0
        page.unroute("**/api/v1/audit*")
        retry(page)
        expect(page.locator("#users")).to_contain_text("Ada Lovelace")
        expect(page.get_by_role("alert").filter(has_text=GONE)).to_have_count(0)


def test_downloads_of_a_job_that_cannot_be_read(browser: Browser, hall: Hall) -> None:
    (job, *_) = hall.stores.jobs.overlapping(["hgx-01"], 0, 2**52)
    with visit(browser, "about:blank") as seen:
        seen.page.route("**/api/v1/views/job/**", refuse)
        seen.page.goto(f"{hall.url}/jobs/{job.id}")
        expect(seen.page.locator("#take-panel").get_by_role("alert")).to_contain_text(GONE)
        expect(seen.page.locator("#copy")).to_be_hidden()


@pytest.mark.parametrize(
    ("path", "place"),
    [("/", ".tile .age"), ("/racks/r07", "#feeds .st"), ("/nodes/hgx-01", "#figures .lead"), ("/devices", "#table")],
)
def test_ages_grow_while_the_server_is_gone(browser: Browser, hall: Hall, path: str, place: str) -> None:
    for device in hall.plant.facility.devices if path == "/" else ("pdu-r07-a", "pdu-r07-b"):
        hall.poll(device)
    with visit(browser, "about:blank") as seen:
        seen.page.route("**/api/v1/live*", lambda route: route.abort())  # no newer reading replaces the age
        seen.page.goto(hall.url + path)
        seen.settle()
        seen.page.route("**/api/v1/**", lambda route: route.abort())
        seen.page.evaluate(LOSE)
        expect(seen.page.locator(".stale-bar")).to_contain_text("No connection to the server")
        age = seen.page.locator(f"{place} [data-since]").first
        age.evaluate("(element) => { element.dataset.since -= 3 * 3600e3; }")
        expect(age).to_have_text(re.compile(r"^3\sh\b"))


def test_what_the_database_cannot_read_is_named_above_the_page(browser: Browser, hall: Hall) -> None:
    """The server reads the page in part, as `tests/api/facility/test_machine_down.py` has it; here it only says so."""
    lost = ["pdu-r07-a", "pdu-r07-b", "pdu-r08-a"]
    why = "cannot be read: the database server that holds them does not respond."
    whole = httpx.get(f"{hall.url}/api/v1/facility", timeout=PATIENCE_S).json()
    answers = {"now": whole | {"unread": {"text": f"Readings of 3 of 16 devices {why}", "devices": lost, "racks": []}}}
    with visit(browser, "about:blank", "390", "dark") as seen:
        seen.page.route(re.compile(r"/api/v1/facility(\?|$)"), lambda route: route.fulfill(json=answers["now"]))
        seen.page.goto(hall.url)
        seen.settle()
        bar = seen.page.locator("#unread")
        expect(bar).to_have_text(re.compile(rf"^\s*Readings of 3 of 16 devices {why} {', '.join(lost)}\s*$"))
        expect(bar.get_by_role("link", name="pdu-r08-a")).to_have_attribute("href", "/devices/pdu-r08-a")
        picture(seen.page, "facility-unread.png")
        assert seen.overflow() <= 0
        answers["now"] = whole
        seen.page.evaluate("document.dispatchEvent(new Event('wl-retry'))")
        expect(bar).to_be_hidden()
