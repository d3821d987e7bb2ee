"""The jobs page and the job page in a real browser: of the demo's jobs, and of an imported MLPerf log."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Locator, expect

from app.services.imports.imports import run_import
from app.store.jobs.job import Job, JobFilter, JobNode
from collectors.contract import wall_clock_ms
from tests.conformance.captures import capture
from tests.e2e.conftest import DAY_MS, Hall
from tests.e2e.visit import LOOKS, MOST_SHIFT, Visit, press, visit

pytestmark = pytest.mark.e2e

HOUR_MS = 3_600_000
SHARED = "horeka-green-01"
LOG = "mlperf/inference/v5.1__Lenovo__SR680a_V3_B200SXMx8_TRT__llama2-70b-99.9__Server"


def _first(hall: Hall, **which: object) -> Job:
    found, _ = hall.stores.jobs.list(JobFilter(**which), sort="-energy_j", limit=1)  # type: ignore[arg-type]
    assert found, which
    return found[0]


def _registered(
    hall: Hall, job_id: str, since_h: float, until_h: float | None, node: str = "hgx-02", **held: object
) -> Job:
    """A run of our own, by default on all eight GPUs, whatever the demo's schedule has at this time of the week."""
    now = wall_clock_ms()
    for other in hall.stores.jobs.overlapping(node, now - DAY_MS, now):
        if other.cluster != "e2e":
            hall.stores.jobs.remove(other.id)
    body = {
        "cluster": "e2e",
        "job_id": job_id,
        "name": "llama2-13b-llava",
        "user": "grace",
        "nodes": [{"node": node} | (held or {"exclusive": True})],
        "start": now - round(since_h * HOUR_MS),
        "state": "running" if until_h is None else "completed",
        "tags": {"node_type": "8xh100", "model": "llama2-13b"},
    }
    if until_h is not None:
        body["end"] = now - round(until_h * HOUR_MS)
    answer = httpx.post(f"{hall.url}/api/v1/jobs", json=body).raise_for_status().json()
    httpx.get(f"{hall.url}/api/v1/jobs/{answer['id']}").raise_for_status()
    found = hall.stores.jobs.get(answer["id"])
    assert found is not None
    return found


@pytest.fixture(scope="session")
def ended(hall: Hall) -> Job:
    """A finished run on eight GPUs."""
    return _registered(hall, "1", 20, 8)


@pytest.fixture(scope="session")
def running(hall: Hall) -> Job:
    """A run that goes on."""
    return _registered(hall, "2", 6, None)


@pytest.fixture(scope="session")
def shared(hall: Hall) -> Job:
    """A run on two of four GPUs of a node that another one shares."""
    _registered(hall, "3", 10, 6, SHARED, gpus=[2], cores=19)
    return _registered(hall, "4", 12, 8, SHARED, gpus=[0, 1], cores=38)


@pytest.fixture(scope="session")
def imported(hall: Hall) -> Job:
    """A real MLPerf run: a meter log, no GPU readings, no nameplate."""
    log = capture(LOG)

    async def bring() -> None:
        async with httpx.AsyncClient(base_url=hall.url, timeout=60) as client:
            await run_import(client, [log], as_job=True)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, bring()).result()
    return _first(hall, cluster="mlperf")


@pytest.mark.parametrize(("size", "theme"), LOOKS)
@pytest.mark.parametrize("name", ["ended", "running", "shared", "imported"])
def test_a_job_page_draws_real_data(
    browser: Browser, hall: Hall, request: pytest.FixtureRequest, name: str, size: str, theme: str
) -> None:
    job: Job = request.getfixturevalue(name)
    with visit(browser, f"{hall.url}/jobs/{job.id}", size, theme) as seen:
        seen.settle()
        expect(seen.page.locator("#name")).to_have_text(job.name)
        assert all(2 <= n <= 2000 for n in seen.points("#power"))
        assert max(seen.points("#power")) >= 30
        assert seen.points("#duration") == [401]
        expect(seen.page.locator("#gpus-panel")).to_be_visible(visible=name != "imported")
        seen.picture(f"job-{name}-{size}-{theme}.png")
        assert seen.hosts == {"127.0.0.1"}
        assert seen.complaints == []
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_the_jobs_page_lists_real_jobs(browser: Browser, hall: Hall, imported: Job, size: str, theme: str) -> None:
    with visit(browser, f"{hall.url}/jobs", size, theme) as seen:
        seen.settle()
        rows = seen.page.locator("#table tbody tr")
        known = len(hall.stores.jobs.list(JobFilter())[0])
        assert rows.count() == min(50, known)
        expect(seen.page.locator("#totals")).to_contain_text(f"{known} jobs")
        expect(seen.page.locator("svg.spark").first).to_be_visible()
        seen.picture(f"jobs-{size}-{theme}.png")
        assert seen.hosts == {"127.0.0.1"}
        assert seen.complaints == []
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT


def test_totals_of_another_window_do_not_stay(browser: Browser, hall: Hall, ended: Job) -> None:
    with visit(browser, f"{hall.url}/jobs") as seen:
        seen.settle()
        expect(seen.page.locator("#totals")).to_contain_text("kWh")
        seen.page.route("**/api/v1/views/jobs*", lambda route: route.abort())
        press(seen.page.get_by_role("button", name="7 d", exact=True))
        expect(seen.page.locator("main")).to_contain_text("The server does not respond")
        expect(seen.page.locator("#totals")).to_be_empty()


def test_key_figures_carry_their_basis(browser: Browser, hall: Hall, ended: Job) -> None:
    assert ended.summary is not None
    with visit(browser, f"{hall.url}/jobs/{ended.id}") as seen:
        seen.settle()
        lead = seen.page.locator("#figures .lead")
        expect(lead).to_contain_text("±")
        expect(lead).to_contain_text("at the wall, k = 2")
        expect(seen.page.locator("#figures")).to_contain_text("of rated 10.2")
        expect(seen.page.locator("#how")).to_contain_text("6 outlets of")
        expect(seen.page.locator("#split")).to_contain_text("GPUs")
        assert seen.page.evaluate("document.querySelector('#gpus').data[0].z.length") == 8


def test_a_job_on_a_shared_node_is_charged_its_share(browser: Browser, hall: Hall, shared: Job) -> None:
    with visit(browser, f"{hall.url}/jobs/{shared.id}") as seen:
        seen.settle()
        expect(seen.page.locator("#figures .lead")).to_contain_text("its share")
        expect(seen.page.locator("#power-panel")).to_contain_text("Its share")
        expect(seen.page.locator("#power")).to_contain_text("whole node")
        for words in ("Of the node", "This job", "Other jobs", "Idle"):
            expect(seen.page.locator("#split")).to_contain_text(words)
        expect(seen.page.locator("#how")).to_contain_text("38 of its 76 cores")
        expect(seen.page.locator("#how")).to_contain_text("TDP × time")


def test_a_running_job_goes_on(browser: Browser, hall: Hall, running: Job) -> None:
    with visit(browser, f"{hall.url}/jobs/{running.id}") as seen:
        seen.settle()
        expect(seen.page.locator("#running")).to_contain_text("running for")
        expect(seen.page.locator("#figures .lead")).to_contain_text("Energy so far")
        expect(seen.page.locator("wl-top .live")).to_contain_text("live")
        cords = hall.stores.facility.at(running.start_ms).connections_of(running.nodes[0].node)
        for device in sorted({cord.device for cord in cords}):
            hall.poll(device)
        expect(seen.page.locator("#figures .kpi").nth(1)).to_contain_text("Now")


def test_nothing_of_an_ended_job_is_live(browser: Browser, hall: Hall, ended: Job) -> None:
    with visit(browser, f"{hall.url}/jobs/{ended.id}") as seen:
        seen.settle()
        expect(seen.page.locator("wl-top .live")).to_be_hidden()
        assert not any("/api/v1/live" in url for url in seen.asked)


def test_the_official_figure_is_beside_ours(browser: Browser, hall: Hall, imported: Job) -> None:
    with visit(browser, f"{hall.url}/jobs/{imported.id}") as seen:
        seen.settle()
        expect(seen.page.locator("#how")).to_contain_text("by the rule “MLPerf Inference")
        expect(seen.page.locator("#how")).to_contain_text("ours is")
        expect(seen.page.locator("#figures")).to_contain_text("Per sample")
        expect(seen.page.locator("#split-panel")).to_be_hidden()


def _drag(seen: Visit, plot: str, start: float, end: float) -> None:
    box = seen.page.locator(f"{plot} .nsewdrag").first.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    seen.page.mouse.move(box["x"] + box["width"] * start, y)
    seen.page.mouse.down()
    seen.page.mouse.move(box["x"] + box["width"] * end, y, steps=5)
    seen.page.mouse.up()


def test_zooming_asks_for_the_stretch_and_files_follow(browser: Browser, hall: Hall, ended: Job) -> None:
    with visit(browser, f"{hall.url}/jobs/{ended.id}") as seen:
        seen.settle()
        _drag(seen, "#power", 0.4, 0.6)
        seen.page.wait_for_url("**from=*to=*")
        whole = seen.page.get_by_role("button", name="Whole run").first
        expect(whole).to_have_attribute("aria-pressed", "false")
        assert any("/figures?from=" in url for url in seen.asked)
        expect(seen.page.locator("#downloads a").first).to_have_attribute("href", re.compile("from="))
        shown = seen.page.evaluate("document.querySelector('#gpus').layout.xaxis.range")
        assert shown == seen.page.evaluate("document.querySelector('#power').layout.xaxis.range")
        seen.page.locator("#power .nsewdrag").first.dblclick()  # of a run the reset is the whole of it
        seen.page.wait_for_url(f"{hall.url}/jobs/{ended.id}")
        expect(whole).to_have_attribute("aria-pressed", "true")
        expect(seen.page.locator("wl-time [data-do=live]")).to_have_count(0)  # it has ended
        seen.page.go_back()
        seen.page.wait_for_url("**from=*to=*")
        assert seen.complaints == []


def test_a_link_reproduces_the_stretch_and_the_axes(browser: Browser, hall: Hall, ended: Job) -> None:
    start = ended.start_ms + 600_000
    address = f"{hall.url}/jobs/{ended.id}?from={start}&to={start + 600_000}&axes=overlay&zone=utc"
    with visit(browser, address) as seen:
        seen.settle()
        assert seen.page.evaluate("document.querySelector('#power').layout.yaxis2.overlaying") == "y"
        assert seen.page.evaluate("document.querySelector('#power').layout.xaxis.range[0]") == start


def test_a_stretch_elsewhere_says_so_and_leads_back(browser: Browser, hall: Hall, ended: Job) -> None:
    with visit(browser, f"{hall.url}/jobs/{ended.id}?from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z") as seen:
        alert = seen.page.locator("#power-panel [role=alert]")
        expect(alert).to_contain_text("lies outside the job")
        alert.get_by_role("button", name="Try again").click()
        expect(seen.page.locator("#power .xy").first).to_be_attached()


def test_everything_can_be_taken_away(browser: Browser, hall: Hall, ended: Job) -> None:
    with visit(browser, f"{hall.url}/jobs/{ended.id}") as seen:
        seen.settle()
        for label, ending, head in (
            ("Readings CSV", "csv", b"t,"), ("Readings Parquet", "parquet", b"PAR1"), ("Summary JSON", "json", b"{"),
            ("Figure SVG", "svg", b"<svg"), ("Figure PNG", "png", b"\x89PNG"),
        ):  # fmt: skip
            kind, fmt = label.split()
            button = seen.page.locator("#downloads .btn").filter(has_text=kind).filter(has_text=fmt)
            name, content = _taken(seen, button)
            assert name.endswith(f".{ending}")
            assert content.startswith(head), label
        expect(seen.page.locator("#code")).to_contain_text(f"curl -s '{hall.url}/api/v1/jobs/{ended.id}'")
        seen.page.get_by_role("button", name="Python").click()
        expect(seen.page.locator("#code")).to_contain_text("pandas.read_parquet")


def _taken(seen: Visit, button: Locator) -> tuple[str, bytes]:
    with seen.page.expect_download() as download:
        button.click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def test_the_python_on_the_page_runs(browser: Browser, hall: Hall, ended: Job) -> None:
    with visit(browser, f"{hall.url}/jobs/{ended.id}") as seen:
        seen.settle()
        seen.page.get_by_role("button", name="Python").click()
        code = seen.page.locator("#code").inner_text()
    lines = code.replace("io, pandas", "io").splitlines()
    names: dict[str, Any] = {"print": lambda *_: None}
    with ThreadPoolExecutor(1) as pool:  # pandas is the reader's, not ours
        pool.submit(exec, "\n".join(line for line in lines if "pandas" not in line), names).result()
    assert ended.summary is not None
    assert names["summary"]["energy_kwh"] == pytest.approx(ended.summary.content["energy_kwh"])
    assert names["answer"].content.startswith(b"PAR1")


def test_the_heat_map_as_a_table(browser: Browser, hall: Hall, ended: Job) -> None:
    with visit(browser, f"{hall.url}/jobs/{ended.id}") as seen:
        seen.settle()
        panel = seen.page.locator("#gpus-panel")
        panel.get_by_role("button", name="Menu").click()
        panel.get_by_role("menuitem", name="Show as table").click()
        expect(panel.locator("th")).to_have_text(["time (UTC)", *(f"GPU {i} [W]" for i in range(8))])


# ---- the table ------------------------------------------------------------------------------------------------------


def test_search_filters_and_tags_live_in_the_address(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/jobs") as seen:
        seen.settle()
        rows = seen.page.locator("#table tbody tr")
        seen.page.get_by_role("searchbox").fill("llama")
        seen.page.wait_for_url("**?q=llama")
        expect(rows).to_have_count(len(hall.stores.jobs.list(JobFilter(q="llama"))[0]))
        seen.page.get_by_role("searchbox").fill("")
        seen.page.wait_for_url(f"{hall.url}/jobs")
        seen.page.get_by_label("State").select_option("running")
        expect(rows).to_have_count(len(hall.stores.jobs.list(JobFilter(ended=False))[0]))
        expect(rows.first).to_contain_text("so far")
        rows.first.locator(".tag").first.click()
        seen.page.wait_for_url("**tag=*")
        expect(seen.page.locator(".chip")).to_have_count(1)
        link = seen.page.url
    with visit(browser, link) as seen:
        seen.settle()
        expect(seen.page.get_by_label("State")).to_have_value("running")
        expect(seen.page.locator(".chip")).to_have_count(1)
        seen.page.get_by_role("button", name="Clear all").click()
        seen.page.wait_for_url(f"{hall.url}/jobs")
        assert seen.complaints == []


def test_headers_sort_and_say_so(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/jobs") as seen:
        seen.settle()
        header = seen.page.get_by_role("columnheader", name="Energy")
        header.get_by_role("button").click()
        expect(header).to_have_attribute("aria-sort", "descending")
        answer = seen.page.request.get(f"{hall.url}/api/v1/jobs?sort=-energy_j&limit=1").json()
        most = answer["items"][0]["id"]  # it may run: what it took so far counts
        expect(seen.page.locator("#table tbody tr a").first).to_have_attribute("href", f"/jobs/{most}")
        header.get_by_role("button").click()
        expect(header).to_have_attribute("aria-sort", "ascending")
        assert seen.page.url.endswith("?sort=energy_j")


def test_no_match_says_what_to_do(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/jobs?q=gemma") as seen:
        state = seen.page.locator("#table-panel .state")
        expect(state).to_contain_text("No job matches these filters")
        expect(state).to_contain_text("“gemma”")
        state.get_by_role("link", name="Clear all filters").click()
        expect(seen.page.locator("#table tbody tr").first).to_be_visible()


def test_the_table_can_be_taken_away_as_it_is_filtered(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/jobs?q=llama") as seen:
        seen.settle()
        name, content = _taken(seen, seen.page.locator("#csv"))
        assert name == "jobs.csv"
        assert len(content.splitlines()) == 1 + len(hall.stores.jobs.list(JobFilter(q="llama"))[0])


@pytest.fixture
def sweep(hall: Hall) -> int:
    """Sixty short jobs of one name."""
    start = hall.stores.now_ms() - 7_200_000
    for i in range(60):
        begin = start + i * 60_000
        hall.stores.jobs.create(
            Job(name="sweep", start_ms=begin, end_ms=begin + 30_000, state="completed", nodes=(JobNode("srv-01"),))
        )
    return 60


def test_more_rows_follow_on_request_and_stay_in_the_address(browser: Browser, hall: Hall, sweep: int) -> None:
    with visit(browser, f"{hall.url}/jobs?q=sweep") as seen:
        seen.settle()
        rows = seen.page.locator("#table tbody tr")
        expect(rows).to_have_count(50)
        more = seen.page.get_by_role("button", name="Show more")
        expect(more).to_contain_text("50 of 60")
        more.click()
        expect(rows).to_have_count(sweep)
        expect(more).to_be_hidden()
        assert seen.page.url.endswith("rows=60")
        seen.page.reload()
        expect(rows).to_have_count(sweep)
        assert seen.complaints == []
