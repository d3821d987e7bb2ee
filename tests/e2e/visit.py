"""Opening a page as a person would, and noticing everything that goes wrong on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, expect

expect.set_options(timeout=60_000)  # a test says what appears, never how soon: a machine may be busy

VIEWPORTS = {"1440": (1440, 900), "390": (390, 844)}
LOOKS = [("1440", "light"), ("390", "dark")]
"""Each page is opened in both sizes and both themes, with two visits."""
_TOO_SLOW = "was preloaded using link preload but not used within a few seconds"
"""A warning of Chromium about time: a machine may be busy."""
MOST_SHIFT = 0.05
"""Panels keep their places while their data arrives: a tenth is what the Core Web Vitals call good."""


_SHIFTS = """() => new Promise((done) => {
  const found = [];
  const observer = new PerformanceObserver((list) => found.push(...list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => {
    found.push(...observer.takeRecords());
    done(found.reduce((sum, entry) => sum + (entry.hadRecentInput ? 0 : entry.value), 0));
  }, 20);
})"""


@dataclass
class Visit:
    """An open page, what it asked for, and what its console said."""

    page: Page
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @property
    def hosts(self) -> set[str | None]:
        """Every host it asked."""
        return {urlsplit(url).hostname for url in self.asked if not url.startswith(("data:", "blob:"))}

    def settle(self) -> None:
        """Wait until no panel loads any more and every chart is drawn."""
        expect(self.page.locator("wl-panel").first).to_be_attached()
        expect(self.page.locator("wl-panel[aria-busy]:not([hidden])")).to_have_count(0)
        for plot in self.page.locator(".plot").all():
            if plot.is_visible():
                expect(plot.locator(".xy").first).to_be_attached()  # after the text

    def picture(self, name: str) -> None:
        """Take a picture of the whole page if WATTLINE_SCREENSHOTS names a folder: to be looked at, not compared."""
        picture(self.page, name)

    def points(self, plot: str) -> list[int]:
        """How many points each named trace of a chart holds."""
        return self.page.evaluate(f"document.querySelector('{plot}').data.filter((t) => t.name).map((t) => t.x.length)")

    def layout_shift(self) -> float:
        """By how much the page moved since it opened, as the browser's performance API counts it (CLS)."""
        found: float = self.page.evaluate(_SHIFTS)
        return found

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def press(element: Locator) -> None:
    """Do what a click does, by keyboard alone: only what takes the focus and hears Enter passes."""
    element.focus()
    expect(element).to_be_focused()
    element.page.keyboard.press("Enter")


def sign_in(page: Page, url: str, user: str, password: str) -> None:
    """Start a session in the browser of a page."""
    answer = page.context.request.post(f"{url}/api/v1/session", data={"user": user, "password": password})
    assert answer.status == 201, answer.text()


def picture(page: Page, name: str) -> None:
    """Take a picture of a whole page if WATTLINE_SCREENSHOTS names a folder."""
    if folder := os.environ.get("WATTLINE_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / name, full_page=True)


_UNUSED: WeakKeyDictionary[Browser, dict[tuple[str, str], list[BrowserContext]]] = WeakKeyDictionary()
"""Contexts between two visits: the scripts of the dashboard stay in their cache, as they do for people."""


@contextmanager
def visit(browser: Browser, url: str, size: str = "1440", theme: str = "light") -> Iterator[Visit]:
    """Open a page at a size and theme; nothing is kept of the visits before but the cache of files."""
    unused = _UNUSED.setdefault(browser, {}).setdefault((size, theme), [])
    width, height = VIEWPORTS[size]
    context = (
        unused.pop() if unused else browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    seen = Visit(page)

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and _TOO_SLOW not in message.text:
            seen.complaints.append(message.text)

    page.on("request", lambda request: seen.asked.append(request.url))
    page.on("console", listen)
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.goto(url)
    yield seen
    page.evaluate("localStorage.clear()")
    for opened in context.pages:
        opened.close()
    context.clear_cookies()
    unused.append(context)
