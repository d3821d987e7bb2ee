"""Every page, light and dark, without a violation that axe-core knows (WCAG 2.2 A and AA, best practices)."""

from __future__ import annotations

from importlib.resources import files

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PASSWORD, Hall
from tests.e2e.visit import MOST_SHIFT, sign_in, visit

pytestmark = pytest.mark.e2e

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
PAGES = [
    "/", "/racks/r07", "/nodes/hgx-01", "/jobs", "JOB", "/compare?by=batch_size", "/capacity?add=r07:hgx-h100:2",
    "/devices", "/devices/pdu-r07-a", "/checks", "/alerts", "/nowhere",
    "/explore?s=node/hgx-01&s=rack/r07&combine=ratio", "/sign-in", "/welcome", "/add-device", "/connect",
]  # fmt: skip
DOORS = ["/sign-in", "/welcome"]
OF_USERS = ["/my-energy", "/account", "/users"]
RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ['violations'] });
  return violations.map((v) => `${v.id}: ${v.help}: ` +
    v.nodes.slice(0, 3).map((n) => `${n.target} ${n.any.concat(n.all).map((c) => c.message)[0] ?? ''}`).join(' | '));
}"""


def violations(page: Page) -> list[str]:
    """Return what axe-core complains about."""
    found: list[str] = page.evaluate(RUN)
    return found


def of_both_themes(page: Page) -> dict[str, list[str]]:
    """Return what axe-core complains about in light and dark, in one visit; nothing where it is content."""
    page.evaluate(AXE)
    found = {"light": violations(page)}
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(100)
    found["dark"] = violations(page)
    return {theme: those for theme, those in found.items() if those}


@pytest.mark.parametrize("path", PAGES)
def test_no_violation_in_light_and_dark(browser: Browser, hall: Hall, path: str) -> None:
    if path == "JOB":
        (job, *_) = hall.stores.jobs.overlapping(["hgx-01"], 0, 2**52)
        path = f"/jobs/{job.id}"
    with visit(browser, hall.url + path) as seen:
        if path in DOORS:
            expect(seen.page.locator("#card form, #fault:not(:empty), #once:not([hidden])").first).to_be_attached()
        else:
            seen.settle()
        assert of_both_themes(seen.page) == {}
        assert seen.layout_shift() <= MOST_SHIFT


def test_no_violation_on_the_pages_of_a_user(browser: Browser, hall: Hall, researcher: str) -> None:
    with visit(browser, "about:blank") as seen:
        sign_in(seen.page, hall.url, researcher, PASSWORD)
        invited = seen.page.context.request.post(f"{hall.url}/api/v1/users/{researcher}/link", data={})
        link = invited.json()["url"].partition("/welcome")[2]
        found = {}
        for path in [*OF_USERS, f"/welcome{link}"]:
            seen.page.emulate_media(color_scheme="light")
            seen.page.goto(hall.url + path)
            if path in OF_USERS:
                seen.settle()
            else:
                expect(seen.page.locator("#card form")).to_be_attached()
            found[path] = of_both_themes(seen.page)
            assert seen.layout_shift() <= MOST_SHIFT, path
        assert {path: those for path, those in found.items() if those} == {}
