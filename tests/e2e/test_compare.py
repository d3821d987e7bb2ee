"""The page Compare and the reports in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from collectors.contract import wall_clock_ms
from tests.e2e.conftest import Hall
from tests.e2e.visit import LOOKS, MOST_SHIFT, picture, visit

pytestmark = pytest.mark.e2e

HOUR_MS = 3_600_000
CAPS = (150, 200, 250, 300)
NODES = ("hgx-03", "hgx-01")


def hours(hall: Hall, node: str, wanted: list[int]) -> dict[int, int]:
    """For each wanted start the first one after it of an hour in which no job of the demo begins or ends on the node:
    of two that call the node their own and cross, neither has it.
    """
    now = wall_clock_ms()
    edges = sorted({t for job in hall.stores.jobs.overlapping(node, 0, now) for t in (job.start_ms, job.end_ms or now)})
    found, free = {}, 0
    for start in sorted(wanted):
        least = max(start, free)
        later = [least, *(edge for edge in edges if edge > least)]
        found[start] = next(t for t in later if not any(t < edge < t + HOUR_MS for edge in edges))
        free = found[start] + HOUR_MS
    return found


@pytest.fixture(scope="session")
def study(hall: Hall) -> list[str]:
    """Runs of our own on the demo's readings: three repeats of an hour at each of four caps, on two nodes."""
    now = wall_clock_ms()
    wanted = {
        (i, repeat): now - round((22 - 5 * repeat - 1.1 * i) * HOUR_MS) for i in range(len(CAPS)) for repeat in range(3)
    }
    starts = [hours(hall, node, [t for (i, _), t in wanted.items() if i % 2 == odd]) for odd, node in enumerate(NODES)]
    ids = []
    for i, cap in enumerate(CAPS):
        for repeat in range(3):
            start, node = starts[i % 2][wanted[i, repeat]], NODES[i % 2]
            body = {
                "cluster": "e2e-study", "job_id": f"{cap}-{repeat}", "name": f"train at {cap} W", "user": "grace",
                "nodes": [{"node": node, "exclusive": True}], "start": start, "end": start + HOUR_MS,
                "state": "completed", "tags": {"study": "e2e", "power_cap_w": cap, "repeat": repeat},
            }  # fmt: skip
            ids.append(httpx.post(f"{hall.url}/api/v1/jobs", json=body).raise_for_status().json()["id"])
    return ids


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_a_power_cap_study_is_drawn(browser: Browser, hall: Hall, study: list[str], size: str, theme: str) -> None:
    with visit(browser, f"{hall.url}/compare?by=power_cap_w&tag=study:e2e", size, theme) as seen:
        seen.settle()
        expect(seen.page.locator("#of")).to_have_text("12 runs in 4 groups")
        expect(seen.page.locator("wl-time .win")).to_contain_text("All times", use_inner_text=True)
        assert seen.page.locator("#table > tbody > tr:not(.runs)").count() == 4
        assert seen.page.locator("#caps tbody tr").count() == 4
        assert len(seen.points("#overlay")) == 12 + 4  # each run, and the mean of each group
        assert max(seen.points("#overlay")) <= 2000
        assert seen.points("#gains") == [4, 4, 4]
        expect(seen.page.locator("#table tr.reference")).to_contain_text("300")
        seen.picture(f"compare-{size}-{theme}.png")
        assert seen.hosts == {"127.0.0.1"}
        assert seen.complaints == []
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT


def test_the_state_is_in_the_address(browser: Browser, hall: Hall, study: list[str]) -> None:
    with visit(browser, f"{hall.url}/compare") as seen:
        seen.settle()
        offer = seen.page.locator("#offers a", has_text="power cap, W")
        expect(offer).to_contain_text("150, 200, 250, 300")
        offer.click()
        seen.settle()
        seen.page.get_by_role("button", name="Since start").click()
        seen.page.get_by_role("button", name="Run time").click()
        seen.page.locator("select[name=reference]").select_option("power_cap_w:200")
        expect(seen.page.locator("#table tr.reference")).to_contain_text("200")
        address = seen.page.url
        for part in ("by=power_cap_w", "time=elapsed", "measure=duration_s", "reference=power_cap_w%3A200"):
            assert part in address
        expect(seen.page.locator("#overlay-panel h2")).to_contain_text("from their starts")
        expect(seen.page.locator("#caps tr.reference")).to_contain_text("200")
        seen.page.go_back()
        expect(seen.page.locator("#table tr.reference")).to_contain_text("300")
        assert seen.complaints == []
    with visit(browser, address) as again:
        again.settle()
        expect(again.page.locator("#overlay-panel h2")).to_contain_text("from their starts")
        expect(again.page.locator("#bars-panel h2")).to_contain_text("run time")


def test_jobs_are_picked_in_the_list(browser: Browser, hall: Hall, study: list[str]) -> None:
    with visit(browser, f"{hall.url}/jobs?tag=study:e2e") as seen:
        seen.settle()
        expect(seen.page.locator("#compare")).to_be_hidden()
        boxes = seen.page.locator("[data-pick]")
        boxes.nth(0).check()
        boxes.nth(1).check()
        expect(seen.page.locator("#compare")).to_have_text("Compare 2 jobs")
        seen.page.reload()
        seen.settle()
        seen.page.locator("#compare").click()
        expect(seen.page).to_have_url(re.compile(r"/compare\?id=\w+&id=\w+$"))
        seen.settle()
        expect(seen.page.locator("#of")).to_have_text("2 runs in 2 groups")
        seen.page.locator("button.fold").first.click()
        expect(seen.page.locator("tr.runs a").first).to_be_visible()
        assert seen.complaints == []


def test_the_chart_can_be_read_as_a_table(browser: Browser, hall: Hall, study: list[str]) -> None:
    with visit(browser, f"{hall.url}/compare?by=power_cap_w&tag=study:e2e") as seen:
        seen.settle()
        seen.page.locator("#bars-panel .menu button").first.click()
        seen.page.get_by_role("menuitem", name="Show as table").click()
        rows = seen.page.locator("#bars-panel .astable tbody tr")
        expect(rows).to_have_count(4)
        expect(rows.first).to_contain_text("150")


def test_what_is_wrong_is_said(browser: Browser, hall: Hall, study: list[str]) -> None:
    with visit(browser, f"{hall.url}/compare?by=power_cap_w&tag=study:e2e&reference=400") as seen:
        expect(seen.page.locator("#start-panel [role=alert]")).to_contain_text("No group is the reference")
        expect(seen.page.locator("#start-panel [role=alert]")).to_contain_text("150; 200; 250; 300")
    with visit(browser, f"{hall.url}/compare?by=power_cap_w&tag=study:nothing") as seen:
        expect(seen.page.locator("#start-panel .state")).to_contain_text("No job matches these filters")


@pytest.mark.parametrize("kind", ["job", "study"])
def test_a_report_opens_from_a_file_without_a_network_and_prints(
    browser: Browser, hall: Hall, study: list[str], tmp_path: Path, kind: str
) -> None:
    path = {
        "job": f"/api/v1/jobs/{study[0]}/report.html",
        "study": "/api/v1/studies/groups/report.html?by=power_cap_w&tag=study:e2e&reference=300",
    }[kind]
    file = tmp_path / "report.html"
    file.write_bytes(httpx.get(f"{hall.url}{path}", timeout=60).raise_for_status().content)
    context = browser.new_context(offline=True, viewport={"width": 1100, "height": 900})
    page = context.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    expect(page.locator("html[data-drawn]")).to_be_attached()
    figures = page.locator("[data-figure]")
    assert figures.count() >= (3 if kind == "job" else 6)
    for figure in figures.all():
        expect(figure.locator(".xy").first).to_be_attached()
    picture(page, f"report-{kind}.png")
    page.set_viewport_size({"width": 688, "height": 1000})  # what an A4 sheet with its margins leaves
    page.emulate_media(media="print")
    page.wait_for_function("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    printed = page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", printed)) >= 2
    assert asked == [file.as_uri()]
    assert complaints == []
    context.close()


def test_the_job_page_offers_its_report(browser: Browser, hall: Hall, study: list[str]) -> None:
    with visit(browser, f"{hall.url}/jobs/{study[0]}") as seen:
        seen.settle()
        with seen.page.expect_download() as download:
            seen.page.get_by_role("link", name="Report").click()
        assert download.value.suggested_filename == f"job-{study[0]}.html"
