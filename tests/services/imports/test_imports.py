"""Import through the application's own HTTP interface, onto an empty database."""

import httpx
import pytest

from app.errors import Invalid, Unauthorized, Unavailable
from app.presentation.imports import report_lines
from app.server.application import create_app
from app.services.imports import imports
from app.services.imports.imports import run_import
from app.settings import Settings
from tests.importers.mlperf_logs import event, node_log, result_log

NOON = 1_753_704_000_000
CSV = "time,power_w\n1753704000,100\n1753704001,200\n1753704002,NaN\n1753704002,200\n1753704003,100\n"


def client_of(app, **headers):
    transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 0))
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers)


@pytest.fixture
def app(sqlite_engine, tmp_path):
    return create_app(Settings(data_dir=tmp_path), engine=sqlite_engine)


@pytest.fixture
async def client(app):
    async with client_of(app) as client:
        yield client


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "bench.csv"
    path.write_text(CSV)
    return path


@pytest.mark.anyio
async def test_a_log_becomes_readings_a_node_and_a_job(client, log):
    report = await run_import(client, [log], device="wt310", node="hgx-01", as_job=True, tags={"model": "resnet"})
    assert not report.failed
    (stored,), (job,) = report.logs, report.jobs
    assert (stored.device, stored.rows, stored.kept, stored.rejected) == ("wt310", 5, 4, {"missing": 1})
    assert (stored.accepted, stored.duplicates, stored.conflicts) == (4, 0, 0)
    assert stored.interval_ms == 1000
    # 150 + 200 + 150 W over a second each
    assert (job.created, job.energy_j, job.coverage) == (True, 500, 1)
    assert job.mean_w == pytest.approx(500 / 3)
    answer = (await client.get(f"/api/v1/jobs/{job.id}")).json()
    assert answer["tags"] == {"source": "bench.csv", "model": "resnet"}
    assert (answer["start"], answer["end"]) == ("2025-07-28T12:00:00Z", "2025-07-28T12:00:03Z")
    assert answer["summary"]["source"] == "meter"
    node = (await client.get("/api/v1/nodes/hgx-01")).json()
    assert node["feeds"] == ["wt310/total"]


@pytest.mark.anyio
async def test_importing_again_changes_nothing(client, log):
    first = await run_import(client, [log], as_job=True)
    again = await run_import(client, [log], as_job=True)
    assert (again.logs[0].accepted, again.logs[0].duplicates) == (0, 4)
    assert again.jobs[0].id == first.jobs[0].id
    assert (first.jobs[0].created, again.jobs[0].created) == (True, False)
    assert not again.failed


@pytest.mark.anyio
async def test_a_log_that_has_grown_makes_its_job_longer(client, log):
    first = await run_import(client, [log], as_job=True)
    log.write_text(CSV + "1753704004,100\n")
    again = await run_import(client, [log], as_job=True)
    assert (again.logs[0].accepted, again.logs[0].duplicates) == (1, 4)
    assert (again.jobs[0].id, again.jobs[0].energy_j) == (first.jobs[0].id, 600)


@pytest.mark.anyio
async def test_a_long_log_goes_in_bounded_requests(client, log, monkeypatch):
    monkeypatch.setattr(imports, "VALUES_PER_REQUEST", 3)
    report = await run_import(client, [log])
    assert report.logs[0].accepted == 4
    assert len(list(imports.batches(_log_of(log), "wt310"))) == 2


def _log_of(path):
    from zoneinfo import ZoneInfo

    from app.importers.meters.detect import read_log

    return read_log(path, ZoneInfo("UTC"))[0]


@pytest.mark.anyio
async def test_a_node_that_is_stored_is_its_operators(client, log):
    await client.post("/api/v1/nodes", json={"key": "hgx-01"})
    report = await run_import(client, [log], device="wt310", node="hgx-01", as_job=True)
    (todo,) = report.notes
    assert "declared without cords" in todo
    assert 'feeds = ["wt310/total"] of node hgx-01' in todo
    assert "another --node" in todo
    assert not report.failed  # its rows are stored
    assert [line for line in report_lines(report) if "not imported" in line] == []
    assert (await client.get("/api/v1/nodes/hgx-01")).json()["feeds"] == []
    assert report.jobs[0].energy_j is None


@pytest.mark.anyio
async def test_gpu_power_is_a_component_of_its_node(client, tmp_path):
    header = "timestamp, index, uuid, power.draw [W], utilization.gpu [%]\n"
    rows = [f"2025/07/28 12:00:0{s}.000, {i}, GPU-{i}, {300 + i}.00 W, 50 %\n" for s in range(4) for i in (0, 1)]
    path = tmp_path / "smi.csv"
    path.write_text(header + "".join(rows))
    report = await run_import(client, [path], device="hgx-01-gpus", node="hgx-01", as_job=True)
    assert [log.group for log in report.logs] == ["gpu-0", "gpu-1"]
    summary = (await client.get(f"/api/v1/jobs/{report.jobs[0].id}")).json()["summary"]
    assert (summary["source"], summary["caliber"]) == ("components", "estimated")
    assert summary["energy_j"] == 3 * 601
    assert summary["gpu"]["energy_j"] == 3 * 601
    assert summary["gpu"]["utilization_mean_pct"] == 50


@pytest.fixture
def benchmark(tmp_path):
    folder = tmp_path / "v4.1__Acme__2xX1__bert"
    inside = folder / "power" / "result_0"
    inside.mkdir(parents=True)
    (folder / "result_0.txt").write_text(result_log(NOON, NOON + 3000))
    for k in (0, 1):
        readings = [(NOON + 1000 * s, 1000.0) for s in range(4)]
        (inside / f"node_{k}.txt").write_text(node_log(readings, NOON - 1000, NOON + 3000, 0.9))
    (inside / "sw_0.txt").write_text(event("interconnect_power_est", 200, NOON))
    return folder


@pytest.mark.anyio
async def test_a_training_run_is_one_job_over_its_nodes_with_the_official_figure_beside_it(client, benchmark):
    report = await run_import(client, [benchmark], as_job=True)
    assert report.problems == []
    (job,) = report.jobs
    assert (job.energy_j, job.coverage) == (6000, 1)
    tags = (await client.get(f"/api/v1/jobs/{job.id}")).json()["tags"]
    assert tags["official_energy_j"] == "6000.000"  # 2 · 1000 W · 3 s · 0.9 + 200 W · 3 s
    assert tags["official_why"] == "conversion efficiency -10.00 %, interconnect estimate +10.00 %"
    text = "\n".join(report_lines(report))
    assert "measured 6,000 J" in text
    assert "official 6,000 J, mean 2,000.0 W (MLPerf Training v4.1+); measured differs by +0.00 %" in text


@pytest.mark.anyio
async def test_impossible_rows_of_a_training_log_are_not_covered(client, tmp_path):
    folder = tmp_path / "v4.1__Acme__1xX1__bert"
    inside = folder / "power" / "result_0"
    inside.mkdir(parents=True)
    (folder / "result_0.txt").write_text(result_log(NOON, NOON + 600_000))
    readings = [(NOON + 1000 * s, -37.0 if 300 <= s < 369 else 1000.0) for s in range(600)]
    (inside / "node_0.txt").write_text(node_log(readings, NOON - 1000, NOON + 600_000))
    report = await run_import(client, [folder], as_job=True)
    (log,), (job,) = report.logs, report.jobs
    assert (log.kept, log.accepted, log.impossible) == (600, 600, 69)
    # rows 0…299 and 369…599; the last value before a gap holds for one interval of 1 s: 0…300 s and 369…600 s
    assert job.coverage == pytest.approx(531 / 600, rel=1e-12)
    assert job.energy_j == pytest.approx(531_000, rel=1e-12)
    assert job.mean_w == pytest.approx(1000)
    assert job.comparison.energy_j == pytest.approx(531_000, rel=1e-9)
    assert job.comparison.coverage == pytest.approx(531 / 600)
    # the mean of the 600 rows: (531 · 1000 − 69 · 37) / 600 W; over 600 s, ∫ p dt of all rows is that but for the ramps
    assert job.comparison.official_energy_j == pytest.approx(528_447, abs=1000)
    total = job.comparison.energy_j + sum(step.joules for step in job.comparison.steps)
    assert total == pytest.approx(job.comparison.official_energy_j)
    assert job.comparison.why().startswith("readings refused as impossible, and the time around them -0.4")
    (refused,) = (await client.get(f"/api/v1/devices/{log.device}/refused")).json()["refused"]
    assert (refused["reason"], refused["value"], refused["unit"], refused["count"]) == ("negative", -37.0, "W", 69)
    assert (refused["first"], refused["last"]) == ("2025-07-28T12:05:00Z", "2025-07-28T12:06:08Z")
    assert "69 impossible readings stored as missing" in "\n".join(report_lines(report))


@pytest.mark.anyio
async def test_of_several_runs_the_broken_one_is_named_and_the_others_come_in(client, benchmark):
    (benchmark / "result_1.txt").write_text(event("run_start", None, NOON))
    (benchmark / "power" / "result_1").mkdir()
    report = await run_import(client, [benchmark], as_job=True)
    assert report.problems == ["result_1.txt: no run_stop"]
    assert len(report.jobs) == 1
    assert report_lines(report)[-2:] == [
        "not imported: result_1.txt: no run_stop",
        "2 logs: 8 of 8 rows, 8 of them new; 1 job",
    ]


@pytest.mark.anyio
async def test_left_out_rows_are_shown(client, log):
    report = await run_import(client, [log], device="wt310")
    assert report_lines(report) == [
        "bench.csv → wt310: 4 of 5 rows (one row every 1 s): 4 new",
        "  dropped 1: no value (empty, NaN, N/A)",
    ]


@pytest.mark.anyio
async def test_rows_without_a_value_are_counted_as_missing(client, tmp_path):
    header = "timestamp, index, uuid, power.draw [W], utilization.gpu [%]\n"
    watts = ["300.00 W", "[N/A]", "[N/A]", "301.00 W", "[N/A]", "302.00 W"]
    rows = [f"2025/07/28 12:00:0{s}.000, 0, GPU-0, {w}, 50 %\n" for s, w in enumerate(watts)]
    path = tmp_path / "smi.csv"
    path.write_text(header + "".join(rows))
    report = await run_import(client, [path], device="smi")
    first, second = report_lines(report)
    assert first.startswith("smi.csv → smi gpu-0: 3 of 6 rows")
    assert second == "  no value in 3 rows: gpu/0 power"
    path.write_text(header + "".join(row.replace(w, "[N/A]") for row, w in zip(rows, watts, strict=True)))
    none = await run_import(client, [path], device="other")
    assert report_lines(none)[0].startswith("smi.csv → other gpu-0: 0 of 6 rows")


@pytest.mark.anyio
async def test_a_long_import_prints_one_line_per_file(client, tmp_path):
    paths = [tmp_path / f"log{i:02}.csv" for i in range(12)]
    for i, path in enumerate(paths):
        path.write_text(CSV if i else CSV.replace("NaN", "150"))
    report = await run_import(client, paths)
    lines = report_lines(report)
    assert [line.partition(" ")[0] for line in lines if " → " in line] == [path.name for path in paths]


@pytest.mark.anyio
async def test_readings_of_the_future_are_refused_with_the_servers_reason(client, tmp_path):
    path = tmp_path / "future.csv"
    path.write_text("time,power_w\n2099-01-01T00:00:00Z,1\n2099-01-01T00:00:01Z,1\n")
    report = await run_import(client, [path], node="hgx-01", as_job=True)
    assert report.failed
    assert "in the future" in report.logs[0].refused[0]
    assert report.jobs == []
    assert (await client.get("/api/v1/nodes")).json()["items"] == []


@pytest.mark.anyio
async def test_progress_is_reported_in_bytes(client, log, benchmark):
    seen = []
    await run_import(client, [log, benchmark], progress=lambda done, total: seen.append((done, total)))
    total = seen[0][1]
    assert seen[0] == (0, total)
    assert seen[1] == (len(CSV), total)
    assert seen[2] == (total, total)


@pytest.mark.anyio
async def test_a_single_file_that_cannot_be_read_raises(client, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("time,voltage\n1753704000,230\n")
    with pytest.raises(Invalid, match="no time and watts column"):
        await run_import(client, [path])


@pytest.mark.anyio
async def test_a_bad_device_name_raises(client, log):
    with pytest.raises(Invalid, match="not a name"):
        await run_import(client, [log], device="wt 310")


@pytest.mark.anyio
async def test_without_a_token_the_server_refuses(sqlite_engine, tmp_path, log):
    app = create_app(Settings(data_dir=tmp_path, ingest_token="s3cret"), engine=sqlite_engine)
    async with client_of(app) as stranger:
        with pytest.raises(Unauthorized):
            await run_import(stranger, [log])
    async with client_of(app, Authorization="Bearer s3cret") as friend:
        assert (await run_import(friend, [log])).logs[0].accepted == 4


@pytest.mark.anyio
async def test_a_server_that_is_not_there(log):
    async with httpx.AsyncClient(base_url="http://127.0.0.1:9") as nobody:
        with pytest.raises(Unavailable, match="does not respond"):
            await run_import(nobody, [log])
