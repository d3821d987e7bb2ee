"""Every page, light and dark, without a violation that axe-core knows (WCAG 2.2 A and AA, best practices)."""

from __future__ import annotations

from importlib.resources import files

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.conftest import Hall
from tests.e2e.visit import visit

pytestmark = pytest.mark.e2e

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
PAGES = [
    "/", "/racks/r07", "/nodes/hgx-01", "/jobs", "JOB", "/compare?by=batch_size", "/capacity?add=r07:hgx-h100:2",
    "/devices", "/devices/pdu-r07-a", "/checks", "/alerts", "/nowhere",
    "/explore?s=node/hgx-01&s=rack/r07&combine=ratio",
]  # fmt: skip
RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ['violations'] });
  return violations.map((v) => `${v.id}: ${v.help}: ` +
    v.nodes.slice(0, 3).map((n) => `${n.target} ${n.any.concat(n.all).map((c) => c.message)[0] ?? ''}`).join(' | '));
}"""


def violations(page: Page) -> list[str]:
    """Return what axe-core complains about."""
    found: list[str] = page.evaluate(RUN)
    return found


@pytest.mark.parametrize("path", PAGES)
def test_no_violation_in_light_and_dark(browser: Browser, hall: Hall, path: str) -> None:
    if path == "JOB":
        (job, *_) = hall.stores.jobs.overlapping(["hgx-01"], 0, 2**52)
        path = f"/jobs/{job.id}"
    with visit(browser, hall.url + path) as seen:
        seen.settle()
        seen.page.evaluate(AXE)
        found = {"light": violations(seen.page)}
        seen.page.emulate_media(color_scheme="dark")
        seen.page.wait_for_timeout(100)
        found["dark"] = violations(seen.page)
    assert {theme: those for theme, those in found.items() if those} == {}
