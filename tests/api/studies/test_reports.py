"""Reports: one file, everything in it, nothing from elsewhere, and nobody's name is markup."""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from typing import Any

import pytest

from tests.api.studies.studies import Bench, published_caps


@pytest.fixture
def bench(client, hall, start) -> Bench:
    return Bench(client, start)


@pytest.fixture
def report(client):
    def get(path: str, **query: Any) -> str:
        answer = client.get(path, params=query)
        assert answer.status_code == 200, answer.text[:500]
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["content-disposition"].startswith('attachment; filename="')
        return answer.text

    return get


def own(page: str) -> str:
    """The file without the library in it."""
    start = page.index("<script>")
    return page[:start] + page[page.index("</script>", start) :]


def words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", own(page)))


def figures(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="figures">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_a_job_is_reported_with_its_method_and_how_to_cite_it(bench, report):
    id_ = bench.run(1000, 360, tags={"model": "r"}, name="resnet", user="ada", cluster="horeka", job_id="42")
    page = report(f"/api/v1/jobs/{id_}/report.html")
    said = words(page)
    # 1000 W for 360 s are 100 Wh; ± 1 % rectangular is 1/√3 %, times k = 2: ± 1.15 Wh
    assert f"Job {id_} (horeka / 42) “resnet”, n1" in said
    assert "20 Nov 2026 10:00:00 UTC to 20 Nov 2026 10:06:00 UTC: 100.0 ± 1.2 Wh (k = 2)" in said.replace(" ", " ")
    assert "covered 100 % of the time, source: metered PDU outlets, method: integral of power" in said
    assert f"Wattline {version('wattline')}, computed 20 Nov 2026 12:00:00 UTC, revision 1." in said
    assert {"power", "duration"} <= set(figures(page))
    assert f"http://127.0.0.1/api/v1/jobs/{id_}/curve.parquet" in page
    assert "How this was measured" in said
    assert "No stretch of this run is without readings." in said


def test_gaps_and_a_meter_without_accuracy_are_reported(client, hall, deliver, register, start, report):
    deliver("pdu-a", start, {"outlet/1:power": [1000.0] * 10})
    job = register(nodes=[{"node": "n1"}], start=start, end=start + 200_000, name="x")
    said = words(report(f"/api/v1/jobs/{job['id']}/report.html"))
    assert "uncertainty not stated: a meter names no accuracy" in said
    assert "covered 50.0 % of the time" in said
    assert "Without readings since for silent 20 Nov 2026 10:01:40 UTC 1 min 40 s pdu-a" in said


def test_a_job_without_measurement_and_one_that_runs_have_reports(hall, register, start, report):
    blind = register(nodes=[{"node": "n2"}], start=start, end=start + 1000)
    assert "energy not measured" in words(report(f"/api/v1/jobs/{blind['id']}/report.html"))
    running = register(nodes=[{"node": "n2"}], start=start)
    assert "(still running)" in words(report(f"/api/v1/jobs/{running['id']}/report.html"))


def test_a_study_is_reported_with_its_groups_its_runs_and_its_caps(bench, report):
    ids = published_caps(bench)
    page = report("/api/v1/studies/groups/report.html", by="power_cap_w", tag="study:rtx6000", reference="260")
    said = words(page)
    assert "2 runs by power_cap_w (study = rtx6000)" in said
    assert "260 23.78 Wh (n = 1)" in said  # 85.6 kJ
    assert "method: integral of power over the covered time for all runs, uncertainty of the meters at most 1.2" in said
    assert "EDP gain, %" in said
    assert re.search(r"170 1 24\.40 9\.35 15\.05 0\.8267 17\.33", said)
    assert set(ids.values()) <= set(said.split())
    assert {"energy_j", "mean_power_w", "duration_s", "overlay", "gains", "costs"} == set(figures(page))


def test_chosen_runs_without_a_tag(bench, report, client):
    ids = [bench.run(10, 5, name="a"), bench.run(20, 5, name="b")]
    assert "2 chosen runs" in words(report("/api/v1/studies/groups/report.html", id=ids))
    assert client.get("/api/v1/studies/groups/report.html").json()["code"] == "no_by"
    assert client.get("/api/v1/jobs/nobody/report.html").status_code == 404


def test_nothing_comes_from_elsewhere(bench, report):
    id_ = bench.run(1000, 10)
    page = report(f"/api/v1/jobs/{id_}/report.html")
    assert page.count("plotly.js v") == 1
    assert not re.findall(r"<(?:script|img|iframe|link)[^>]*\s(?:src|href)=", own(page))
    assert "url(" not in own(page)
    assert "default-src &#x27;none&#x27;" in page


def test_names_are_never_markup(bench, report):
    evil = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
    id_ = bench.run(1000, 10, name=evil, user=evil, tags={"a": evil, evil: "b"})
    for page in (
        report(f"/api/v1/jobs/{id_}/report.html"),
        report("/api/v1/studies/groups/report.html", by="a", q="img", user=evil),
    ):
        assert "<img" not in own(page)
        assert own(page).count("<script") == 2  # the figures and what draws them
        assert "&lt;img src=x" in page
