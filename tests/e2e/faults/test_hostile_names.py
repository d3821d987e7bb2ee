"""Names that are code or 1,000 characters long do nothing on any page, below a path as well."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from app.models import Model, Node, Rack, Room, Site
from app.server.application import create_app
from app.server.serving import serving
from app.services.alerts import QUICK, evaluate
from app.settings import Settings
from app.store.database.engine import open_engine
from app.store.devices.health import DeviceEvent
from app.store.jobs import Job, JobNode
from tests.api import hall
from tests.e2e.visit import visit

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

CODE = (
    """"'><img src=x onerror="hacked=1"><script>hacked=1</script></title></textarea>"""
    "${hacked=1}{{hacked=1}}javascript:1"
)
LONG = "W" * 1000
PAGES = [
    "", "jobs", "jobs/{job}", "jobs/{long}", "compare?id={job}&id={long}", "compare?by=tag:{code}", "capacity",
    "devices", "devices/pdu-a", "checks", "alerts", "alerts?state=ended", "racks/r1", "nodes/n1", "nodes/n2",
    "racks/{code}", "jobs?tag={code}:{code}&user={code}&sort={code}",
]  # fmt: skip
AWAY = "[...document.links].map((a) => a.pathname).filter((p) => !p.startsWith('/wattline'))"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The address of a server below /wattline whose every name is hostile, and what its pages are called."""
    folder = tmp_path_factory.mktemp("hostile")
    shutil.copyfile(migrated_sqlite, folder / "wattline.db")
    settings = Settings(data_dir=folder, path_prefix="/wattline")
    engine = open_engine(settings.database_url)
    app = create_app(settings, lambda: hall.NOW, engine)
    stores = app.state.stores
    hall.build(stores)
    facility = stores.facility.at(hall.NOW)
    label = CODE + LONG[: 200 - len(CODE)]
    named = [*facility.sites.values(), *facility.rooms.values(), *facility.racks.values(), *facility.models.values()]
    for thing in [*named, *facility.devices.values(), *facility.nodes.values()]:
        stores.facility.upsert([type(thing)(**{**_fields(thing), "label": label})], effective_ms=0)
    ids = {}
    for name, text, hours in (("job", CODE, 1), ("long", LONG, 2)):
        nodes = tuple(JobNode(node, None, None, None) for node in ("n1", "n2"))
        tags = {text: text, "batch": LONG, "model": CODE}
        who = {"user": text, "project": text, "partition": text, "cluster": text, "job_id": text, "state": text}
        start = hall.NOW - hours * hall.HOUR_MS
        end = start + hall.HOUR_MS
        (ids[name],) = stores.jobs.create_many(
            [Job(start_ms=start, end_ms=end, name=text, tags=tags, nodes=nodes, **who)]
        )
    stores.health.record_events([DeviceEvent(hall.NOW - 1000, CODE, "pdu-a", CODE, "critical", CODE + LONG)])
    stores.frames.write([hall.readings("pdu-a", np.array([hall.NOW]))])
    evaluate(stores, "test", QUICK)
    with serving(app, background_tasks=False) as url:
        yield f"{url}/wattline/", ids | {"code": CODE.replace("/", "%2F").replace("?", "%3F").replace("#", "%23")}
    engine.dispose()


def _fields(thing: Site | Room | Rack | Model | Node) -> dict[str, object]:
    return {name: getattr(thing, name) for name in type(thing).__dataclass_fields__}


def test_no_name_becomes_a_part_of_a_page(browser: Browser, hostile: tuple[str, dict[str, str]]) -> None:
    root, names = hostile
    with visit(browser, root) as seen:
        for page in PAGES:
            seen.page.goto(root + page.format(**names))
            expect(seen.page.locator("wl-panel[aria-busy]:not([hidden])")).to_have_count(0)
            assert seen.page.evaluate("typeof hacked") == "undefined"
            assert seen.page.locator("img[src=x], main script").count() == 0
            assert seen.page.evaluate(AWAY) == []
            assert seen.overflow() <= 0, page
            name = page.partition("?")[0].replace("/", "-").replace("{", "").replace("}", "") or "facility"
            seen.picture(f"hostile-{name}.png")
        refused = [text for text in seen.complaints if "status of 404" not in text and "status of 422" not in text]
        assert refused == []  # nor did the content security policy have to stop anything
        assert [url for url in seen.asked if "/wattline/" not in url and not url.startswith(("data:", "blob:"))] == []


def test_signing_in_below_a_path_leads_to_the_page_that_was_asked_for(
    browser: Browser, tmp_path: Path, migrated_sqlite: Path
) -> None:
    shutil.copyfile(migrated_sqlite, tmp_path / "wattline.db")
    app = create_app(Settings(data_dir=tmp_path, path_prefix="/wattline", read_token="r"))
    with (
        serving(app, background_tasks=False) as url,
        visit(browser, f"{url}/wattline/jobs?user=ada") as seen,
    ):
        expect(seen.page).to_have_url(f"{url}/wattline/sign-in?next=%2Fjobs%3Fuser%3Dada")
        seen.page.locator("#with-token input").fill("r")
        seen.page.locator("#with-token button").click()
        expect(seen.page).to_have_url(f"{url}/wattline/jobs?user=ada")
        expect(seen.page.locator("wl-top nav a").first).to_have_attribute("href", "/wattline/")
    app.state.stores.engine.dispose()
