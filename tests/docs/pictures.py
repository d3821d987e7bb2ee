"""Take the pictures of the README from the running demo: `make pictures`.

Look at each of them before you commit it: nothing here judges what it shows.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from playwright.sync_api import Browser, expect, sync_playwright

from tests.paths import DOCS

FOLDER = DOCS / "screenshots"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
WIDTH = 1280
PATIENCE_S = 300.0
LEAST_LIVE_S = 45.0
"""The demo is polled for as long before the first picture, so that every device has responded."""


@contextmanager
def demo(settle_s: float = LEAST_LIVE_S) -> Iterator[str]:
    """Run `wattline up --demo` in a folder of its own until its history is there and live readings came for a while."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "app.cli", "up", "--demo", "--port", str(port)]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("WATTLINE_")}
        process = subprocess.Popen(command, env=environment | {"WATTLINE_DATA_DIR": folder})
        try:
            yield _ready(f"http://127.0.0.1:{port}", process, settle_s)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def _ready(url: str, process: subprocess.Popen[bytes], settle_s: float) -> str:
    """Wait for the facility and for jobs that have ended, then for a while of live readings."""
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s and process.poll() is None:
        try:
            if ended_job(url):
                time.sleep(settle_s)
                return url
        except httpx.HTTPError:
            pass  # it is starting, or busy with its history
        time.sleep(1)
    raise SystemExit("the demo did not become ready")


def ended_job(url: str) -> str | None:
    """Return the id of the longest of the newest runs on the H100 rack that have ended and have an energy."""
    jobs = httpx.get(f"{url}/api/v1/jobs", params={"node": "hgx-01", "limit": 50}, timeout=60).json()["items"]
    done = [job for job in jobs if job["end"] and (job["summary"] or {}).get("energy_j")]
    return max(done, key=lambda job: job["summary"]["duration_s"])["id"] if done else None


def take(browser: Browser, url: str, name: str, path: str, height: int = 860) -> None:
    """Take the picture of the top of a page in the light theme."""
    context = browser.new_context(viewport={"width": WIDTH, "height": height}, color_scheme="light")
    page = context.new_page()
    page.goto(url + path)
    expect(page.locator("wl-panel").first).to_be_attached(timeout=60_000)
    expect(page.locator("wl-panel[aria-busy]")).to_have_count(0, timeout=60_000)
    page.wait_for_timeout(2500)
    page.screenshot(path=FOLDER / f"{name}.png")
    context.close()
    print(FOLDER / f"{name}.png")


def main() -> None:
    """Start the demo, take every picture, and stop it."""
    FOLDER.mkdir(exist_ok=True)
    with demo() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        take(browser, url, "facility", "/")
        take(browser, url, "rack", "/racks/r08?fail=A", height=1060)
        take(browser, url, "job", f"/jobs/{ended_job(url)}")
        take(browser, url, "capacity", "/capacity")
        browser.close()


if __name__ == "__main__":
    main()
