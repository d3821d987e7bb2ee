"""What people come for, in at most three actions from the front page, by keyboard alone; an action is Enter on a link
or a button, a choice or a search. Other tasks of this kind are in test_devices_pages.py and test_explore_page.py.
"""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from collectors.contract import HOUR_MS, wall_clock_ms
from tests.e2e.conftest import PASSWORD, Hall
from tests.e2e.test_accessible import AXE, violations
from tests.e2e.visit import picture, press, sign_in, visit

pytestmark = pytest.mark.e2e


FITS = re.compile(r"(\d+ more fits?|None fits) in R07")


def search(page: Page, text: str, found: str) -> None:
    """Search by keyboard alone and open the best result."""
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Search racks")).to_be_focused()
    page.keyboard.type(text)
    expect(page.locator(".palette [aria-selected=true] .name")).to_have_text(found)
    page.keyboard.press("Enter")


def test_search_by_keyboard_alone(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/", "390", "dark") as seen:
        seen.settle()
        page = seen.page
        page.get_by_role("button", name="Search", exact=True).click()
        field = page.get_by_role("combobox", name="Search racks")
        expect(field).to_be_focused()
        page.keyboard.type("hgx 0")
        options = page.locator(".palette [role=option]")
        expect(options.filter(has_text="hgx-05").first).to_be_visible()
        page.keyboard.press("ArrowDown")
        expect(options.nth(1)).to_have_attribute("aria-selected", "true")
        expect(field).to_have_attribute("aria-activedescendant", "find-node-1")
        page.evaluate(AXE)
        assert violations(page) == []
        assert page.evaluate("document.querySelector('.palette').scrollWidth") <= 390
        page.keyboard.press("Escape")
        expect(page.locator(".palette")).to_be_hidden()
        search(page, "r07", "R07 · H100")
        page.wait_for_url(f"{hall.url}/racks/r07")
        assert seen.complaints == []


def test_the_rack_closest_to_its_limit_and_what_if_its_pdu_a_fails(browser: Browser, hall: Hall) -> None:
    for device in hall.plant.facility.devices:  # powers of now, however late this runs
        hall.poll(device)
    with visit(browser, f"{hall.url}/") as seen:
        seen.settle()
        page = seen.page
        press(page.locator("#worst a").first)
        page.wait_for_url("**/racks/*")
        seen.settle()
        press(page.get_by_role("button", name=re.compile("if A fails", re.IGNORECASE)).first)
        page.wait_for_url("**fail=A*")
        assert seen.complaints == []


def test_whether_another_node_of_eight_gpus_fits_in_r07(browser: Browser, hall: Hall) -> None:
    """One action, the search for the rack, or three with the form: the page, the rack, the model."""
    with visit(browser, f"{hall.url}/") as seen:
        seen.settle()
        page = seen.page
        search(page, "R07", "R07 · H100")
        page.wait_for_url("**/racks/r07")
        seen.settle()
        answer = page.locator("#headroom-panel .answer")
        expect(answer).to_contain_text(FITS)
        expect(answer).to_contain_text("8×H100 HGX")
        page.goto(hall.url)
        press(page.get_by_role("link", name="Capacity", exact=True))
        seen.settle()
        for name, choice in (("rack", "R07"), ("model", "8×H100")):
            page.locator(f"#fit-ask select[name={name}]").focus()
            page.keyboard.type(choice)
        page.wait_for_url("**model=hgx-h100**")
        expect(page.locator("#fit .answer")).to_contain_text(FITS)
        expect(page.locator("#fit .answer")).to_contain_text("8×H100 HGX")
        assert seen.complaints == []


def test_yesterdays_most_energy_hungry_job_and_its_curve(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/") as seen:
        press(seen.page.get_by_role("link", name="Jobs", exact=True))
        press(seen.page.get_by_role("button", name="Yesterday"))
        seen.page.wait_for_url("**from=*to=*")
        start, end = (
            int(seen.page.evaluate(f"Date.parse(new URLSearchParams(location.search).get('{name}'))"))
            for name in ("from", "to")
        )
        query = f"from={start}&to={end}&sort=-energy_j&limit=1"  # a job that runs counts with what it took so far
        (most,) = seen.page.request.get(f"{hall.url}/api/v1/jobs?{query}").json()["items"]
        top = seen.page.locator("#top")
        expect(top.locator("a").first).to_have_attribute("href", f"/jobs/{most['id']}")
        with seen.page.expect_download() as download:
            press(top.locator("a[download]"))
        assert Path(download.value.path()).read_text().startswith("t,")
        seen.page.go_back()  # the window is an entry of the history
        seen.page.wait_for_url(f"{hall.url}/jobs")
        expect(top).to_be_empty()


@pytest.fixture
def batches(hall: Hall) -> None:
    """Runs of our own on the demo's readings, of two batch sizes."""
    now = wall_clock_ms()
    for i, size in enumerate(("512", "4096")):
        body = {
            "cluster": "e2e-batches", "job_id": size, "name": "resnet", "user": "grace",
            "nodes": [{"node": "hgx-02", "exclusive": False}], "start": now - (6 - 2 * i) * HOUR_MS,
            "end": now - (5 - 2 * i) * HOUR_MS, "state": "completed", "tags": {"study": "batches", "batch_size": size},
        }  # fmt: skip
        httpx.post(f"{hall.url}/api/v1/jobs", json=body).raise_for_status()


def test_two_batch_sizes_compared_and_the_energy_of_a_month(
    browser: Browser, hall: Hall, researcher: str, batches: None
) -> None:
    with visit(browser, "about:blank") as seen:
        sign_in(seen.page, hall.url, researcher, PASSWORD)
        page = seen.page
        page.goto(hall.url)
        press(page.get_by_role("link", name="Compare", exact=True))
        press(page.locator("#offers a", has_text="batch size: 512, 4096"))
        expect(page.locator("#table > tbody > tr:not(.runs)")).to_have_text([re.compile("512"), re.compile("4096")])
        expect(page.locator("#caps-panel")).to_be_hidden()  # a batch size is not a power cap
        assert seen.complaints == []
        page.goto(hall.url)
        press(page.get_by_role("button", name=re.compile("Ada Lovelace")))
        expect(page.get_by_role("menuitem", name="My energy")).to_be_focused()
        page.keyboard.press("Enter")
        page.wait_for_url(f"{hall.url}/my-energy")
        seen.settle()
        expect(page.locator("#kpis")).to_contain_text("kWh")
        expect(page.locator("#runs tbody tr").first).to_be_visible()
        picture(page, "my-energy.png")  # its month was computed in parts, each a 503 in the console
