"""`wattline sweep` against the real server, with a scripted nvidia-smi below it and real processes above it."""

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime

import httpx
import pytest

from app.cli.sweep import work as sweep_work
from app.cli.sweep.work import SweepOptions, restore_caps, run_sweep
from app.errors import Invalid, Unavailable
from app.server.application import create_app
from app.server.serving import serving
from app.settings import Settings
from app.store.facility import Node
from collectors.errors import ConfigError
from collectors.power_cap.board import CapDenied
from tests.power_cap.nvidia_smi import scripted

PATIENCE_S = 30.0


@pytest.fixture
def smi(tmp_path):
    return scripted(tmp_path, 260.0, 260.0)


@pytest.fixture
def url(sqlite_engine, tmp_path, monkeypatch):
    """The server; node n1 draws 500 W from a minute ago until a minute from now, ten readings a second."""
    monkeypatch.setattr(sweep_work, "_SETTLE_S", 0)
    monkeypatch.setenv("WATTLINE_DATA_DIR", str(tmp_path))
    app = create_app(Settings(data_dir=tmp_path), engine=sqlite_engine)
    app.state.stores.facility.upsert([Node(key="n1", feeds=("meter/total",))])
    with serving(app) as url:
        now = time.time_ns() // 1_000_000
        t = list(range(now - 60_000, now + 50_000, 100))
        series = [{"point": "total", "quantity": "power", "unit": "W"}]
        body = {"device": "meter", "interval_s": 0.1, "series": series, "t": t, "values": [[500.0] * len(t)]}
        answer = httpx.post(f"{url}/api/v1/ingest?create=meter", json=body).json()
        assert answer["accepted"] == len(t), answer
        yield url


def python(text):
    return [sys.executable, "-c", text]


def wanted(smi, command, **changes):
    given = {"caps": "150,200,260", "name": "s", "node": "n1", "cooldown_s": 0.0, "nvidia_smi": str(smi.program)}
    return SweepOptions(**(given | {"command": command} | changes))


def jobs(url, query="tag=study:s&sort=start"):
    return httpx.get(f"{url}/api/v1/jobs?{query}").json()["items"]


def rows(url):
    return [(job["tags"]["power_cap_w"], job["tags"]["repeat"], job["state"]) for job in jobs(url)]


def test_every_run_is_a_tagged_job_at_its_cap(url, smi, tmp_path, capsys):
    note = f"import os; print(os.environ['WATTLINE_POWER_CAP_W'], file=open({str(tmp_path / 'ran')!r}, 'a'))"
    assert run_sweep(wanted(smi, python(note), repeats=2, tags=["model=vgg"], within="4711"), url, "") == 0
    assert (tmp_path / "ran").read_text().split() == ["150", "150", "200", "200", "260", "260"]
    assert rows(url) == [(cap, repeat, "completed") for cap in ("150", "200", "260") for repeat in ("1", "2")]
    assert {(job["tags"]["model"], job["within"]) for job in jobs(url)} == {("vgg", "4711")}
    assert smi.caps == [260.0, 260.0]
    told = capsys.readouterr().out
    assert "s · against 260 W" in told
    assert "coverage 100.0 % or more" in told
    assert "EDS k=2.0" in told  # whole, in a narrow terminal too
    assert "…" not in told


def test_a_failed_run_is_marked_and_does_not_count(url, smi, capsys):
    fail = "import os, sys; sys.exit(3 if os.environ['WATTLINE_POWER_CAP_W'] == '200' else 0)"
    assert run_sweep(wanted(smi, python(fail)), url, "") == 1
    assert rows(url) == [("150", "1", "completed"), ("200", "1", "failed"), ("260", "1", "completed")]
    assert jobs(url)[1]["tags"]["failure"] == "the command exited with 3"
    assert smi.caps == [260.0, 260.0]
    told = " ".join(capsys.readouterr().out.split())
    assert "200 W, repeat 1: failed, the command exited with 3" in told
    assert "excluded: s 200 W" in told


def test_a_failed_run_can_end_the_sweep(url, smi, capsys):
    assert run_sweep(wanted(smi, ["false"], stop_on_failure=True), url, "") == 1
    assert rows(url) == [("150", "1", "failed")]
    assert "2 runs were not executed" in capsys.readouterr().out
    assert smi.caps == [260.0, 260.0]


def test_a_command_that_is_not_there(url, smi):
    assert run_sweep(wanted(smi, ["no-such-command"], caps="150", reference_w=150), url, "") == 1
    assert jobs(url)[0]["tags"]["failure"] == "the command exited with 127"


def test_a_sweep_is_taken_up_where_it_ended(url, smi, tmp_path, capsys):
    flag = tmp_path / "flag"
    text = (
        f"import os, sys; sys.exit(os.environ['WATTLINE_POWER_CAP_W'] == '200' and not os.path.exists({str(flag)!r}))"
    )
    assert run_sweep(wanted(smi, python(text), repeats=2, shuffle=True, seed=5), url, "") == 1
    flag.touch()
    assert run_sweep(wanted(smi, python(text), repeats=2, shuffle=True, seed=5), url, "") == 0
    states = sorted(rows(url))
    assert states.count(("200", "1", "failed")) == states.count(("200", "1", "completed")) == 1
    assert len(states) == 8
    assert "6 runs, shuffled by --seed 5, 4 of them already done" in " ".join(capsys.readouterr().out.split())


def test_a_cap_that_did_not_hold_fails_its_run(url, smi):
    steal = f"import subprocess; subprocess.run([{str(smi.program)!r}, '-i', 'GPU-1', '-pl', '180'])"
    assert run_sweep(wanted(smi, python(steal), caps="260"), url, "") == 1
    assert jobs(url)[0]["tags"]["failure"] == "GPU 1 (Quadro RTX 6000) is capped at 180 W, not at 260 W"
    assert smi.caps == [260.0, 260.0]


def test_some_gpus_and_a_warm_up(url, smi, tmp_path):
    note = f"print(1, file=open({str(tmp_path / 'ran')!r}, 'a'))"
    assert run_sweep(wanted(smi, python(note), caps="260", gpu="1", warm_up=True), url, "") == 0
    assert (tmp_path / "ran").read_text() == "1\n1\n"
    assert [job["nodes"][0]["gpus"] for job in jobs(url)] == [[1]]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_run_and_the_sweep(url, smi, number):
    kill_us = f"import os, time; os.kill({os.getpid()}, {int(number)}); time.sleep(60)"
    before = signal.SIG_DFL if number == signal.SIGHUP else signal.getsignal(number)
    signal.signal(number, before)
    assert run_sweep(wanted(smi, python(kill_us)), url, "") == 130
    assert rows(url) == [("150", "1", "failed")]
    assert jobs(url)[0]["tags"]["failure"] == "interrupted"
    assert smi.caps == [260.0, 260.0]
    assert signal.getsignal(number) == before


def test_a_sweep_under_nohup_outlives_its_terminal(url, smi):
    """nohup ignores SIGHUP for every process below it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        hang_up = f"import os; os.kill({os.getpid()}, {int(signal.SIGHUP)})"
        assert run_sweep(wanted(smi, python(hang_up), caps="260"), url, "") == 0
    finally:
        signal.signal(signal.SIGHUP, before)
    assert rows(url) == [("260", "1", "completed")]


SWEEP = """
import sys
from app.cli.sweep.work import SweepOptions, run_sweep
program, url = sys.argv[1:]
command = [sys.executable, "-c", "import sys, time; time.sleep(600 if sys.stdin.read() else 0)"]
run_sweep(SweepOptions(command, "150,200", name="s", node="n1", cooldown_s=0, nvidia_smi=program), url, "")
"""


def test_a_second_signal_kills_a_command_that_ignores_the_first(url, smi):
    deaf = (
        "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        f"[(os.kill({os.getpid()}, signal.SIGTERM), time.sleep(0.5)) for _ in range(2)]; time.sleep(60)"
    )
    assert run_sweep(wanted(smi, python(deaf)), url, "") == 130
    assert rows(url) == [("150", "1", "failed")]
    assert smi.caps == [260.0, 260.0]


def test_a_sweep_that_is_killed_leaves_nothing_behind(url, smi, capsys):
    journal = smi.state.parent / "power-caps.json"
    process = subprocess.Popen([sys.executable, "-c", SWEEP, str(smi.program), url], stdin=subprocess.PIPE)
    try:
        until(lambda: journal.exists() and '"job": null' not in journal.read_text())
        assert smi.caps == [150.0, 150.0]
        process.kill()
        process.wait()
        until(lambda: smi.caps == [260.0, 260.0])
    finally:
        process.stdin.close()  # ends its command
        process.kill()
        process.wait()
    assert rows(url) == [("150", "1", "running")]
    until(lambda: '"restored_ms": null' not in journal.read_text())
    restore_caps(url, "")
    (job,) = jobs(url)
    assert (job["state"], job["tags"]["failure"]) == ("failed", "the sweep died")
    assert datetime.fromisoformat(job["end"]) <= datetime.now(UTC)
    assert "the original caps of its GPUs are restored (260 W)" in capsys.readouterr().out
    assert run_sweep(wanted(smi, ["true"], caps="150,200", reference_w=200), url, "") == 0
    assert sorted(rows(url)) == [("150", "1", "completed"), ("150", "1", "failed"), ("200", "1", "completed")]


def until(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_nothing_runs_that_cannot_be_registered_or_capped(url, smi, tmp_path):
    touch = python(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(Unavailable):
        run_sweep(wanted(smi, touch), "http://127.0.0.1:1", "")
    with pytest.raises(Invalid, match="no node"):
        run_sweep(wanted(smi, touch, node="no-such-node"), url, "")
    with pytest.raises(ConfigError, match="cap 300 W"):
        run_sweep(wanted(smi, touch, caps="200,300"), url, "")
    with pytest.raises(Invalid, match="k=v"):
        run_sweep(wanted(smi, touch, tags=["model"]), url, "")
    with pytest.raises(Invalid, match="no command"):
        run_sweep(wanted(smi, []), url, "")
    smi.set(allowed=False)
    with pytest.raises(CapDenied):
        run_sweep(wanted(smi, touch), url, "")
    assert smi.caps == [260.0, 260.0]
    assert not (tmp_path / "ran").exists()
    assert jobs(url) == []


def test_a_run_unknown_ended_is_reported(url, smi, capsys):
    tags = {"study": "s", "power_cap_w": "150", "repeat": "1"}
    body = {"nodes": [{"node": "n1"}], "start": time.time_ns() // 1_000_000, "state": "running", "tags": tags}
    job = httpx.post(f"{url}/api/v1/jobs", json=body).json()["id"]
    assert run_sweep(wanted(smi, ["true"], caps="150", reference_w=150), url, "") == 0
    assert f"job {job} of this study has no end" in " ".join(capsys.readouterr().out.split())


def test_restoring_without_need(url, capsys):
    restore_caps(url, "")
    assert "there is nothing to restore" in capsys.readouterr().out
