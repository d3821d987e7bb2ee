"""How soon pages show what is asked of them, by the browser's performance API, and what open pages cost the server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import statistics
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.benchmarks.bench import Bench, free_port
from tests.benchmarks.report import Section, ms
from tests.benchmarks.snmp import WATTLINE, await_url, cpu_s, process

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
FILLED_WITHIN_S, DRAWN_WITHIN_MS = 240, 60_000
LONGEST_S = 25 * 3600
REFRESH_S = 60
PAINTED = """
window.painted_ms = null; window.moved = 0;
new PerformanceObserver((list) => { for (const e of list.getEntries()) window.painted_ms = e.startTime; })
  .observe({ type: 'largest-contentful-paint', buffered: true });
const add = (e) => { if (!e.hadRecentInput) window.moved += e.value; };
new PerformanceObserver((list) => { list.getEntries().forEach(add); })
  .observe({ type: 'layout-shift', buffered: true });
"""
WATCH = """() => {
  const plot = document.querySelector('#power'), length = () => plot.data[0].x.at(-1) - plot.data[0].x[0];
  const whole_ms = length();
  let began = null; window.zoomed_ms = null;
  addEventListener('mouseup', () => { began = performance.now(); }, { capture: true, once: true });
  plot.on('plotly_afterplot', () => {
    if (began === null || window.zoomed_ms !== null || length() > whole_ms / 2) return;
    window.zoomed_ms = performance.now() - began;
  });
}"""


def run(bench: Bench) -> list[Section]:
    """Both tables, on the demo facility."""
    with demo(bench) as (url, pid):
        return [first_paint(bench, url), open_pages(bench, url, pid)]


@contextlib.contextmanager
def demo(bench: Bench) -> Iterator[tuple[str, int]]:
    """The demo facility with its last day; yields its address and the process of the server."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    told = {"WATTLINE_DATA_DIR": str(bench.new_folder()), "WATTLINE_PORT": str(port)}
    with process([WATTLINE, "up", "--demo"], **told) as server:
        await_url(f"{url}/healthz", server)
        longest_job(url)
        yield url, server.pid


def longest_job(url: str) -> str:
    """Return the job of 26 h with 8 GPUs, once the last day of the demo is complete."""
    end = time.monotonic() + FILLED_WITHIN_S
    while time.monotonic() < end:
        with urllib.request.urlopen(f"{url}/api/v1/jobs", timeout=20) as answer:
            jobs: list[dict[str, Any]] = json.loads(answer.read())["items"]
        long = [job for job in jobs if (job["summary"] or {}).get("duration_s", 0) > LONGEST_S]
        if long:
            return str(long[0]["id"])
        time.sleep(2)
    raise RuntimeError(f"the demo has no job of a day after {FILLED_WITHIN_S} s")


def first_paint(bench: Bench, url: str) -> Section:
    """The largest paint of two pages with a warm cache, how much they move, and a zoom."""
    section = Section(
        "Pages in Chromium",
        ("", "largest contentful paint", "goal", "layout shift"),
        [
            "The demo facility, 1440 × 900, files in the browser's cache; largest contentful paint and cumulative "
            "layout shift as the browser reports them, until charts are drawn. Zoom: from letting go of the "
            "mouse to the chart drawn from the server's answer for that stretch."
        ],
    )
    if CHROMIUM is None:
        section.notes.append("Chromium is not installed: nothing was measured.")
        return section
    repeats = 2 if bench.quick else 7
    job = f"{url}/jobs/{longest_job(url)}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        page.add_init_script(PAINTED)
        for name, address, goal in (("facility", url, "≤ 800 ms"), ("job of 26 h, 8 GPUs", job, "≤ 1200 ms")):
            seen = [_visit(page, address) for _ in range(repeats + 1)][1:]
            painted, moved = (statistics.median(values) for values in zip(*seen, strict=True))
            section.add(name, ms(painted / 1000), goal, f"{moved:.3f}")
        section.add("… zoom", ms(statistics.median(_zoom(page, job) for _ in range(repeats)) / 1000), "≤ 150 ms")
        browser.close()
    return section


def _visit(page: Page, address: str) -> tuple[float, float]:
    """Return the largest contentful paint [ms] and the layout shift of a visit."""
    page.goto(address)
    page.locator(".plot .xy").first.wait_for(state="attached", timeout=DRAWN_WITHIN_MS)
    page.wait_for_timeout(1000)
    painted, moved = page.evaluate("[window.painted_ms, window.moved]")
    return float(painted), float(moved)


def _zoom(page: Page, address: str) -> float:
    """Return how long the chart of a job takes to show another stretch [ms]."""
    _visit(page, address)
    page.evaluate(WATCH)
    box = page.locator("#power .nsewdrag").first.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.4 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], y, steps=5)
    page.mouse.up()
    for _ in range(DRAWN_WITHIN_MS // 50):
        page.wait_for_timeout(50)
        if (zoomed_ms := page.evaluate("window.zoomed_ms")) is not None:
            return float(zoomed_ms)
    raise RuntimeError(f"{address} did not draw the stretch")


def open_pages(bench: Bench, url: str, pid: int) -> Section:
    """CPU time of the server with and without live streams of open pages."""
    count, length_s = (50, 10) if bench.quick else (500, 60)
    section = Section(
        f"{count} open pages",
        ("", "CPU of one core", "goal"),
        [
            "CPU time of the server that stores the readings of the demo facility, with and without facility pages: "
            "each has an event stream and asks for its view once a minute."
        ],
    )
    alone = _used(pid, length_s)
    command = [sys.executable, "-m", "tests.benchmarks.pages", url.rpartition(":")[2], str(count)]
    with process(command):
        time.sleep(10)
        with_pages = _used(pid, length_s)
    section.add("without pages", f"{100 * alone:.1f} %")
    section.add("with pages", f"{100 * with_pages:.1f} %")
    section.add("the pages", f"{100 * (with_pages - alone):.1f} %", "≤ 30 %")
    return section


def _used(pid: int, length_s: float) -> float:
    before = cpu_s(pid)
    time.sleep(length_s)
    return (cpu_s(pid) - before) / length_s


async def _ask(host: str, port: int, path: str) -> None:
    """Read an answer to its end."""
    reader, writer = await asyncio.open_connection(host, port)
    head = f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
    writer.write(head.encode())
    while await reader.read(65536):
        pass
    writer.close()


async def _page(host: str, port: int, phase: float) -> None:
    """Keep the facility page open: its stream, and its view once a minute."""
    stream = asyncio.create_task(_ask(host, port, "/api/v1/live"))
    await asyncio.sleep(phase * REFRESH_S)
    while not stream.done():
        await _ask(host, port, "/api/v1/facility")
        await asyncio.sleep(REFRESH_S)


async def _all(port: int, count: int) -> None:
    await asyncio.gather(*(_page("127.0.0.1", port, n / count) for n in range(count)))


if __name__ == "__main__":
    asyncio.run(_all(int(sys.argv[1]), int(sys.argv[2])))
