"""The page about pandas and polars: every snippet runs, and holds what a hand calculation says."""

import re

import polars
import pytest

from app.server.serving import serving
from tests.paths import DOCS

SNIPPETS = re.findall(r"```python\n(.+?)```", (DOCS / "python.md").read_text(), re.DOTALL)
TOKEN = "read-me"


@pytest.fixture
def engine(sqlite_engine):
    return sqlite_engine


@pytest.fixture
def page(hall, make_client, deliver, register, start, monkeypatch):
    """Runs snippets by number against an hour of n1 at 500 W, one reading of it lost, and half an hour at 300 W."""
    deliver("pdu-a", start, {"outlet/1:power": [*[500.0] * 180, None, *[500.0] * 180], "outlet/2:power": [300.0] * 361})
    long = {"start": start, "end": start + 3_600_000, "tags": {"model": "resnet", "batch_size": "512"}}
    short = {"start": start, "end": start + 1_800_000, "tags": {"model": "resnet", "batch_size": "4096"}}
    job = register(name="a", nodes=[{"node": "n1"}], **long)
    register(name="b", nodes=[{"node": "n2"}], **short)
    register(name="c", nodes=[{"node": "n2"}], **(long | {"start": start + 1_800_000, "tags": {"model": "vgg"}}))
    monkeypatch.setenv("WATTLINE_TOKEN", TOKEN)
    with serving(make_client(read_token=TOKEN).app) as closed, serving(make_client().app) as url:

        def run(*numbers, secured=False, job=job["id"]):
            found = {}
            for number in numbers:
                text = SNIPPETS[number].replace("http://127.0.0.1:8000", closed if secured else url)
                exec(compile(text.replace("01JB…", job), f"snippet {number}", "exec"), found)
            return found

        yield run


def test_pandas_reads_a_curve(page):
    curve = page(0, 1)["curve"]
    assert (len(curve), str(curve.index.dtype)) == (360, "datetime64[ms, UTC]")
    assert set(curve["n1 power_w"]) == {500.0}


def test_polars_reads_a_curve(page):
    curve = page(0, 2)["curve"]
    assert (curve.height, curve.schema["t"]) == (360, polars.Datetime("ms", "UTC"))
    assert curve["n1 power_w"].mean() == 500.0


def test_the_energy_is_in_the_metadata(page):
    found = page(0, 2, 3)
    assert (found["energy_j"], found["coverage"], found["method"]) == (pytest.approx(1_800_000), 1.0, "integral")
    assert found["units"]["n1 power_w"] == "W"


def test_rows_of_a_short_run_do_not_hold_its_ends(page, deliver, register, start):
    """27 s at 500 W, read at 1, 11 and 21 s: 20 s lie between the first and the last row."""
    late = start + 4_000_000
    deliver("pdu-a", late, {"outlet/1:power": [500.0] * 10})
    job = register(name="short", nodes=[{"node": "n1"}], start=late + 9000, end=late + 36_000)["id"]
    found = page(0, 1, 2, 3, 4, job=job)
    assert found["energy_j"] == pytest.approx(27 * 500)
    assert found["between_j"] == pytest.approx(20 * 500)
    assert round(100 * found["between_j"] / found["energy_j"]) == 74


def test_a_table_of_runs(page):
    runs = page(0, 1, 5)["runs"]
    assert sorted(runs["energy_j"]) == pytest.approx([540_000, 1_800_000])
    assert (runs["end"] - runs["start"]).dt.total_seconds().sum() == 5400
    assert page(0, 2, 6)["runs"]["energy_j"].sum() == pytest.approx(2_340_000)


def test_groups_of_runs(page):
    by_batch = page(0, 1, 7)["by_batch"]
    assert by_batch["mean"].to_dict() == pytest.approx({"512": 0.5, "4096": 0.15})
    assert by_batch["count"].to_dict() == {"512": 1, "4096": 1}


def test_headroom(page):
    headroom = page(0, 1, 7, 8)["headroom"]
    assert headroom.loc["n1", "rated_w"] == 2000.0
    assert headroom.loc["n1", "observed_w.max"] == 500.0
    assert headroom.loc["n1", "headroom_pct"] == 75.0


def test_a_token(page):
    assert page(0, 9, secured=True)["curve"]["n1 power_w"].mean() == 500.0


def test_every_snippet_is_tried():
    assert len(SNIPPETS) == 10
