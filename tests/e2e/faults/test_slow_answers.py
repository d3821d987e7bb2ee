"""Pages in a real browser whose answers are late, the last one asked for first: what is seen keeps its place."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.e2e.conftest import Hall
from tests.e2e.visit import MOST_SHIFT, visit

pytestmark = pytest.mark.e2e

PAGES = ["/", "/racks/r07", "/devices/pdu-r07-a", "/jobs", "/capacity", "/compare?by=batch_size"]
LATE_AND_IN_REVERSE = """
  const now = window.fetch;
  let held = [];
  const release = () => {
    held.reverse().forEach((ask, i) => setTimeout(ask, 50 * i));
    held = [];
  };
  window.fetch = (...asked) => new Promise((resolve, reject) => {
    if (!held.length) setTimeout(release, 300);
    held.push(() => now(...asked).then(resolve, reject));
  });
"""


@pytest.mark.parametrize("path", PAGES)
def test_late_answers_move_nothing(browser: Browser, hall: Hall, path: str) -> None:
    with visit(browser, "about:blank", "390") as seen:
        seen.page.add_init_script(LATE_AND_IN_REVERSE)
        seen.page.goto(hall.url + path)
        seen.settle()
        assert seen.layout_shift() <= MOST_SHIFT
        assert seen.complaints == []
