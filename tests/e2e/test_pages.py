"""Facility, rack and node in a real browser: they draw, they stay on this machine, and nothing complains."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from app.store.jobs.job import JobFilter
from tests.e2e.conftest import Hall
from tests.e2e.visit import LOOKS, MOST_SHIFT, visit

pytestmark = pytest.mark.e2e

PAGES = {
    "facility": ("/", ["#day"]),
    "rack": ("/racks/r07", ["#stack"]),
    "rack-2n": ("/racks/r08?fail=A", ["#stack"]),
    "rack-meter": ("/racks/r09", ["#stack"]),
    "node": ("/nodes/hgx-01", ["#power", "#gpus"]),
}


@pytest.mark.parametrize(("size", "theme"), LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_draws_real_data(browser: Browser, hall: Hall, name: str, size: str, theme: str) -> None:
    path, plots = PAGES[name]
    with visit(browser, hall.url + path, size, theme) as seen:
        seen.settle()
        for plot in plots:
            counts = seen.points(plot)
            assert counts
            assert all(100 <= n <= 2000 for n in counts), counts
        seen.picture(f"{name}-{size}-{theme}.png")
        assert seen.hosts == {"127.0.0.1"}
        assert seen.complaints == []
        assert seen.overflow() <= 0
        assert seen.layout_shift() <= MOST_SHIFT
        assert seen.page.evaluate("document.documentElement.dataset.theme") == theme


def test_the_measure_of_the_hall_lives_in_the_address(browser: Browser, hall: Hall) -> None:
    for device in hall.plant.facility.devices:  # temperatures of now, however late this runs
        hall.poll(device)
    with visit(browser, f"{hall.url}/?measure=headroom") as seen:
        seen.settle()
        expect(seen.page.locator("#measure [aria-pressed=true]")).to_have_text("Headroom")
        seen.page.get_by_role("button", name="Inlet temp").click()
        assert seen.page.url.endswith("?measure=inlet")
        expect(seen.page.locator("#hall-panel h2")).to_contain_text("°C")
        assert seen.complaints == []


def test_live_numbers_move(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/nodes/hgx-01") as seen:
        seen.settle()
        expect(seen.page.locator(".live")).to_contain_text("live")
        cell = seen.page.locator("#figures .lead")
        before = cell.inner_text()
        for device in ("pdu-r07-a", "pdu-r07-b"):
            hall.poll(device)
        expect(cell).not_to_have_text(before)
        expect(cell).to_contain_text("ago")


def test_the_stream_says_when_it_breaks_and_comes_back(browser: Browser, hall: Hall) -> None:
    with visit(browser, "about:blank") as seen:
        seen.page.route("**/api/v1/live*", lambda route: route.abort())
        seen.page.goto(f"{hall.url}/")
        expect(seen.page.locator(".live")).to_contain_text("stream interrupted, retrying in")
        seen.page.unroute("**/api/v1/live*")
        expect(seen.page.locator(".live")).to_contain_text("live ·")


def test_the_stream_pauses_while_the_tab_is_hidden(browser: Browser, hall: Hall) -> None:
    hide = """hidden => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }"""
    with visit(browser, f"{hall.url}/") as seen:
        expect(seen.page.locator(".live")).to_contain_text("live ·")
        seen.page.evaluate(hide, True)
        expect(seen.page.locator(".live")).to_have_text("paused")
        seen.page.evaluate(hide, False)
        expect(seen.page.locator(".live")).to_contain_text("live ·")


def test_the_menu_by_keyboard_and_the_table_behind_a_chart(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/racks/r07") as seen:
        seen.settle()
        panel = seen.page.locator("#stack-panel")
        panel.get_by_role("button", name="Menu: Power by node").focus()
        seen.page.keyboard.press("Enter")
        expect(panel.get_by_role("menuitem").first).to_be_focused()
        seen.page.keyboard.press("ArrowUp")
        expect(panel.get_by_role("menuitem", name="Show as table")).to_be_focused()
        seen.page.keyboard.press("Enter")
        header = panel.locator("th")
        expect(header.first).to_have_text("time (UTC)")
        assert "hgx-01 [kW]" in header.all_inner_texts()
        assert panel.locator("tbody tr").count() > 100
        panel.get_by_role("button", name="Menu: Power by node").click()
        seen.page.keyboard.press("Escape")
        expect(panel.get_by_role("menu")).to_be_hidden()


def test_what_is_drawn_can_be_taken_away(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/nodes/hgx-01") as seen:
        seen.settle()
        panel = seen.page.locator("#power-panel")
        for label, ending, head in (("Drawn data", ".csv", b"time,wall [kW]"), ("Figure SVG", ".svg", b"<svg")):
            panel.get_by_role("button", name="Menu").click()
            with seen.page.expect_download() as download:
                panel.get_by_role("menuitem", name=label).click()
            assert download.value.suggested_filename == f"node-hgx-01{ending}"
            assert Path(download.value.path()).read_bytes().startswith(head)
        assert seen.complaints == []


COUNT_DRAWN = """() => {
  const react = Plotly.react;
  window.drawn = [];
  Plotly.react = (plot, ...rest) => (window.drawn.push(plot.id), react(plot, ...rest));
}"""


def test_zooming_asks_the_server_for_that_range(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/nodes/hgx-01") as seen:
        seen.settle()
        box = seen.page.locator("#power .nsewdrag").bounding_box()
        assert box is not None
        y = box["y"] + box["height"] / 2
        seen.page.mouse.move(box["x"] + box["width"] * 0.4, y)
        seen.page.mouse.down()
        seen.page.mouse.move(box["x"] + box["width"] * 0.6, y, steps=5)
        seen.page.evaluate(COUNT_DRAWN)
        with seen.page.expect_response(re.compile("views/node/hgx-01.*from=")):
            seen.page.mouse.up()
        seen.page.wait_for_url("**from=*to=*within=24h")
        seen.page.wait_for_function("window.drawn.includes('power')")
        assert seen.page.evaluate("window.drawn.filter((id) => id === 'power').length") == 1, "once, when it is known"
        reset = seen.page.get_by_role("button", name="Reset zoom")
        reset.click()
        seen.page.wait_for_url(f"{hall.url}/nodes/hgx-01")
        expect(reset).to_have_count(0)
        seen.page.go_back()  # every change is an entry of the history
        seen.page.wait_for_url("**from=*to=*within=24h")
        expect(reset).to_be_visible()
        seen.page.locator("#power .nsewdrag").dblclick()
        seen.page.wait_for_url(f"{hall.url}/nodes/hgx-01")


def test_jobs_under_the_curve_are_links(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/nodes/hgx-01") as seen:
        seen.settle()
        link = seen.page.locator("#lanes a").first
        known = {f"/jobs/{job.id}" for job in hall.stores.jobs.list(JobFilter(node="hgx-01"))[0]}
        assert link.get_attribute("href") in known


def test_a_rack_that_is_not_there_has_a_page_that_says_so(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/racks/nope") as seen:
        expect(seen.page.locator("#what")).to_have_text("There is no rack “nope”")


def test_a_server_error_is_shown_in_every_panel_with_its_hint(browser: Browser, hall: Hall) -> None:
    problem = (
        '{"title": "Service unavailable", "detail": "the database does not answer", "hint": "see wattline doctor"}'
    )
    with visit(browser, "about:blank") as seen:
        seen.page.route(
            "**/api/v1/facility*",
            lambda route: route.fulfill(status=503, content_type="application/problem+json", body=problem),
        )
        seen.page.goto(f"{hall.url}/")
        alert = seen.page.locator("wl-panel [role=alert]").first
        expect(alert).to_contain_text("The database does not answer")
        expect(alert).to_contain_text("See wattline doctor")
        seen.page.unroute("**/api/v1/facility*")
        alert.get_by_role("button", name="Try again").click()
        expect(seen.page.locator("#total")).to_contain_text("kW")


def test_the_theme_switch_is_remembered(browser: Browser, hall: Hall) -> None:
    with visit(browser, f"{hall.url}/") as seen:
        seen.page.get_by_role("button", name="Switch between light and dark").click()
        assert seen.page.evaluate("document.documentElement.dataset.theme") == "dark"
        seen.page.reload()
        assert seen.page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_numbers_in_the_browser_follow_the_same_rules(browser: Browser, hall: Hall) -> None:
    script = """async () => {
      const path = document.querySelector('script[src*="layout.js"]').src.replace('layout.js', 'format.js');
      const f = await import(path);
      return [f.num(1464), f.num(-12000), f.num(-0.04, 1), f.num(null), f.significant(0.01234), f.coverage(0.9996),
        f.duration(2463), f.duration(4740), f.duration(274000), f.limit_kw(14400), f.limit_kw(70000), f.span(41 * 60)];
    }"""
    with visit(browser, f"{hall.url}/racks/nope") as seen:
        assert seen.page.evaluate(script) == [
            "1\u202f464",
            "\u221212\u202f000",
            "0.0",
            "\u2013",
            "0.0123",
            "99.9\u2009%",
            "41\u2009min 03\u2009s",
            "1\u2009h 19\u2009min",
            "3\u2009d 04\u2009h",
            "14.4",
            "70",
            "41\u2009min",
        ]


def test_a_link_keeps_the_focus_while_its_panel_is_painted_again(browser: Browser, hall: Hall) -> None:
    """Another silent device comes before it, and the reason changes; the page does not scroll."""
    reasons = ["no answer within 3 s"]

    def silent(key: str) -> dict[str, str | None]:
        return {"key": key, "since": None, "reason": reasons[-1]}

    def with_silent_devices(route: Route) -> None:
        answer = route.fetch()
        view = answer.json()
        view["devices"]["silent"] = [silent(key) for key in ["pdu-a", "pdu-b", "pdu-c"][2 - len(reasons) :]]
        route.fulfill(response=answer, body=json.dumps(view))

    with visit(browser, "about:blank") as seen:
        seen.page.route("**/api/v1/facility?*", with_silent_devices)
        seen.page.goto(hall.url)
        link = seen.page.locator("#devices a", has_text="pdu-b")
        link.focus()
        expect(link).to_be_focused()
        top = seen.page.evaluate("scrollY")
        reasons.append("refused the password")
        seen.page.evaluate("document.dispatchEvent(new Event('wl-retry'))")
        expect(seen.page.locator("#devices li").first).to_contain_text("pdu-a")
        expect(link.locator("..")).to_contain_text("refused the password")
        expect(link).to_be_focused()
        assert seen.page.evaluate("scrollY") == top
        assert seen.complaints == []


FILL = """async (html) => {
  const { fill } = await import(new URL('../core/dom.js', document.querySelector('script[src]').src));
  return fill(document.querySelector('main'), html);
}"""


def test_a_text_field_keeps_what_was_typed_and_the_caret(browser: Browser, hall: Hall) -> None:
    html = '<label>{} <input name="key"><input type="checkbox" name="on"></label>'
    with visit(browser, f"{hall.url}/missing") as seen:
        assert seen.page.evaluate(FILL, html.format("Key"))
        assert not seen.page.evaluate(FILL, html.format("Key")), "the same HTML is left alone"
        seen.page.locator("input[name=key]").press_sequentially("pdu-7")
        seen.page.keyboard.press("ArrowLeft")
        assert seen.page.evaluate(FILL, html.format("Device"))
        seen.page.keyboard.type("0")
        expect(seen.page.locator("input[name=key]")).to_have_value("pdu-07")


def test_the_same_html_is_written_again_where_something_was_chosen_or_changed(browser: Browser, hall: Hall) -> None:
    """A box that the server did not accept is shown as it is stored; what another part wrote does not stay."""
    html = '<p>5.0 A</p><input type="checkbox"><select><option>a<option selected>b</select>'
    with visit(browser, f"{hall.url}/missing") as seen:
        seen.page.evaluate(FILL, html)
        for change in (
            "document.querySelector('main input').checked = true",
            "document.querySelector('main select').value = 'a'",
            "document.querySelector('main p').textContent = '5.1 A'",
        ):
            seen.page.evaluate(change)
            assert seen.page.evaluate(FILL, html), change
        expect(seen.page.locator("main p")).to_have_text("5.0 A")
        expect(seen.page.locator("main input")).not_to_be_checked()
        expect(seen.page.locator("main select")).to_have_value("b")
