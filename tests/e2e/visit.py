"""Opening a page as a person would, and noticing everything that goes wrong on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, expect

VIEWPORTS = {"1440": (1440, 900), "390": (390, 844)}
LOOKS = [("1440", "light"), ("390", "dark")]
"""Each page is opened in both sizes and both themes, with two visits."""


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
        expect(self.page.locator("wl-panel[aria-busy]")).to_have_count(0, timeout=15_000)
        for plot in self.page.locator(".plot").all():
            if plot.is_visible():
                expect(plot.locator(".xy").first).to_be_attached()

    def points(self, plot: str) -> list[int]:
        """How many points each named trace of a chart holds."""
        return self.page.evaluate(f"document.querySelector('{plot}').data.filter((t) => t.name).map((t) => t.x.length)")

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@contextmanager
def visit(browser: Browser, url: str, size: str = "1440", theme: str = "light") -> Iterator[Visit]:
    """Open a page at a size and theme."""
    width, height = VIEWPORTS[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
    page = context.new_page()
    seen = Visit(page)

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            seen.complaints.append(message.text)

    page.on("request", lambda request: seen.asked.append(request.url))
    page.on("console", listen)
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.goto(url)
    yield seen
    context.close()
