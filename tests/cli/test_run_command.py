"""`wattline run`: the command runs whatever becomes of the server, and its run is registered sooner or later."""

import asyncio
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time

import httpx
import pytest
from typer.testing import CliRunner

from app import cli
from app.cli.access import stored_login
from app.cli.run import api_calls, job_run
from app.cli.run.job_run import JobRun, RunAs
from app.cli.run.spool import RunRecord, Spool
from app.errors import Invalid, Unavailable, WattlineError
from tests.http_responder import Request, responding
from tests.paths import ROOT

JOB = "/api/v1/jobs/J1"
SUMMARY = {
    "energy_kwh": 0.0099, "energy_j": 35640.0, "duration_s": 20.0, "coverage": 1.0, "source": "pdu",
    "method": "counter", "power_basis": "measured", "caliber": "actual", "uncertainty_pct": 1.2, "k": 2,
    "power_w": {"mean": 1788.0, "max": 1790.0},
}  # fmt: skip
NOWHERE = "http://127.0.0.1:1"


class Server:
    """Answers like the API; `refusals` of its next PATCHes are 503s, `rejects` makes every POST a 422.

    `owner`: the user of the token, the only one whose jobs it registers.
    """

    def __init__(self) -> None:
        self.refusals = 0
        self.rejects = ""
        self.owner = ""
        self.listed: list[dict] = []
        self.asked: list[Request] = []

    def __call__(self, request):
        self.asked.append(request)
        if request.method == "PATCH" and self.refusals:
            self.refusals -= 1
            return 503, ""
        if request.path == "/api/v1/me":
            return 200, {"name": self.owner, "is_user": True}
        if request.method == "POST" and self.owner and request.json()["user"] != self.owner:
            return 403, {"detail": f"{self.owner!r} cannot register a job of another user", "status": 403}
        if request.method == "POST" and self.rejects:
            return 422, {"detail": self.rejects, "status": 422}
        if request.method == "GET" and "?" in request.path:
            return 200, {"items": self.listed, "next": None}
        return 200, {"id": "J1", "summary": SUMMARY}

    def sent(self, method):
        return [request.json() for request in self.asked if request.method == method]

    @property
    def patches(self):
        return self.sent("PATCH")


@pytest.fixture
def server(monkeypatch):
    """The server in a thread of its own: signals reach only the first."""
    monkeypatch.setattr(job_run, "_PAUSES_S", (0, 0, 0))
    answer, ready, loop = Server(), threading.Event(), asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve():
        async with responding(answer) as responder:
            answer.url = responder.url
            ready.set()
            await done.wait()

    def work():
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        loop.run_until_complete(serve())

    thread = threading.Thread(target=work)
    thread.start()
    ready.wait()
    yield answer
    loop.call_soon_threadsafe(done.set)
    thread.join()
    loop.close()


@pytest.fixture
def spool(tmp_path):
    return Spool(tmp_path / "spool")


def run(url, spool, *command, strict=False, tags=(), **more):
    said = []
    result = JobRun(url, "", spool, said.append, strict, 0.0).run(command, RunAs(tags=tags, node="n1", **more))
    return result, "\n".join([*said, *result.text()])


def touching(path):
    return sys.executable, "-c", f"open({str(path)!r}, 'w')"


@pytest.mark.parametrize(
    ("status", "detail", "suggested_fix"),
    [
        (401, "this needs a token that may ingest", "WATTLINE_TOKEN or --token"),
        (422, "nodes.0.node: there is no node 'n1'", "set --node to the key of this host"),
        (422, "tags.per:x: '0' is not a positive number", "the server's own hint"),
    ],
)
def test_a_refusal_says_what_to_do_at_the_command_line(status, detail, suggested_fix):
    problem = {"status": status, "detail": detail, "hint": "the server's own hint"}
    said = httpx.Response(status, json=problem, headers={"content-type": "application/problem+json"})
    with (
        httpx.Client(base_url="http://127.0.0.1", transport=httpx.MockTransport(lambda _: said)) as client,
        pytest.raises(WattlineError, match=detail) as raised,
    ):
        api_calls.answer(client, "POST", "/api/v1/jobs", {})
    assert suggested_fix in raised.value.hint


@pytest.mark.parametrize("content", ["<html>sign in</html>", "[]"])
def test_an_answer_that_is_not_of_wattline_counts_as_no_answer(content):
    said = httpx.MockTransport(lambda _: httpx.Response(302, text=content))
    with httpx.Client(base_url="http://proxy", transport=said) as client, pytest.raises(Unavailable, match="302"):
        api_calls.answer(client, "GET", "/api/v1/jobs")


# ---- a server that responds ----------------------------------------------------------------------------------------
def test_a_run_is_a_job_and_its_energy_is_reported_with_uncertainty_basis_and_page(server, spool):
    result, said = run(server.url, spool, sys.executable, "-c", "", tags=["batch_size=512"])
    assert (result.status, [p["state"] for p in server.patches]) == (0, ["completed"])
    (registered,) = server.sent("POST")
    assert (registered["nodes"], registered["tags"]) == ([{"node": "n1"}], {"batch_size": "512"})
    assert "0.0099 kWh ± 1.2 % (k = 2) in 20 s, mean 1788 W, max 1790 W, coverage 100.0 %" in said
    assert "basis: pdu, energy registers" in said
    assert f"{server.url}/jobs/J1" in said
    assert spool.records() == []


def test_its_status_is_ours(server, spool):
    assert run(server.url, spool, sys.executable, "-c", "raise SystemExit(3)")[0].status == 3
    assert [p["state"] for p in server.patches] == ["failed"]


def test_a_command_that_is_not_there_ends_its_job(server, spool, capsys):
    result, _ = run(server.url, spool, "no-such-command")
    assert (result.status, [p["state"] for p in server.patches]) == (127, ["failed"])
    assert "no-such-command: No such file or directory" in capsys.readouterr().err


def test_a_command_that_may_not_be_run_ends_its_job(server, spool, tmp_path):
    (tmp_path / "plain").touch(mode=0o644)
    assert run(server.url, spool, str(tmp_path / "plain"))[0].status == 126
    assert [p["state"] for p in server.patches] == ["failed"]


def test_a_server_that_restarts_meanwhile_is_sent_the_end(server, spool):
    server.refusals = 3
    assert run(server.url, spool, sys.executable, "-c", "")[0].status == 0
    assert [p["state"] for p in server.patches] == ["completed"] * 4
    assert spool.records() == []


def test_what_it_holds_and_what_work_it_does(server, spool, monkeypatch):
    monkeypatch.setitem(SUMMARY, "per", {"samples": {"count": 1.2e6, "j_per": 0.0297}})
    monkeypatch.setitem(SUMMARY, "shared", True)
    given = {"per": ["samples=1.2e6"], "gpus": ["0", "1"], "cores": 16, "within": "4711"}
    _, said = run(server.url, spool, sys.executable, "-c", "", **given)
    (registered,) = server.sent("POST")
    assert registered["nodes"] == [{"node": "n1", "gpus": ["0", "1"], "cores": 16}]
    assert registered["tags"] == {"per:samples": "1.2e6"}
    assert registered["within"] == "4711"
    assert "its share of a shared node, 0.0297 J per samples" in said


def test_a_run_among_others_that_does_not_say_what_it_holds_has_no_energy(server, spool, monkeypatch):
    monkeypatch.setitem(SUMMARY, "coverage", 0.0)
    monkeypatch.setitem(SUMMARY, "shared", True)
    _, said = run(server.url, spool, sys.executable, "-c", "")
    assert "other jobs ran on its node: give its part of the node with --gpus and --cores" in said


# ---- a server that does not, or that rejects the job ---------------------------------------------------------------
def test_a_run_of_root_in_a_container_belongs_to_the_user_of_the_token(server, spool, monkeypatch):
    monkeypatch.setattr(job_run, "_user", lambda: "root")
    server.owner = "ada"
    run(server.url, spool, "true")
    assert [job["user"] for job in server.sent("POST")] == ["root", "ada"]
    assert spool.records() == []


def test_a_server_that_is_away_costs_no_run_and_gets_it_later(server, spool, tmp_path):
    result, said = run(NOWHERE, spool, *touching(tmp_path / "ran"), tags=["model=lstm"])
    assert (result.status, result.job, (tmp_path / "ran").exists()) == (0, None, True)
    assert "does not respond" in said
    (record,) = spool.records()
    assert (record.job["state"], record.job["tags"]) == ("completed", {"model": "lstm"})
    record.url = server.url  # it is back
    spool.keep(record)
    _, said = run(server.url, spool, sys.executable, "-c", "")
    assert "earlier runs registered: 1" in said
    assert spool.records() == []
    assert [(job["tags"], job.get("end") is not None) for job in server.sent("POST")] == [
        ({}, False),
        ({"model": "lstm"}, True),
    ]


def test_an_unknown_node_costs_no_run_and_it_is_registered_once_the_node_is_known(server, spool, tmp_path):
    server.rejects = "nodes.0.node: there is no node 'n1'"
    result, said = run(server.url, spool, *touching(tmp_path / "ran"))
    assert (result.status, (tmp_path / "ran").exists()) == (0, True)
    assert "there is no node 'n1'" in said
    assert "set --node to the key of this host" in said
    again = CliRunner().invoke(cli.app, ["spool", "--spool", str(spool.folder), "--url", server.url])
    assert (again.exit_code, "0 registered, 1 waiting" in again.output) == (1, True)
    assert "there is no node 'n1'" in again.output
    server.rejects = ""
    last = CliRunner().invoke(cli.app, ["spool", "--spool", str(spool.folder), "--url", server.url])
    assert (last.exit_code, "1 registered, 0 waiting" in last.output) == (0, True)
    assert spool.records() == []


def test_a_server_that_is_lost_during_the_run_gets_the_end_later(server, spool):
    server.refusals = 99
    result, said = run(server.url, spool, sys.executable, "-c", "raise SystemExit(3)")
    assert (result.status, result.job) == (3, "J1")
    assert "its end is kept in" in said
    server.refusals = 0
    assert CliRunner().invoke(cli.app, ["spool", "--spool", str(spool.folder), "--url", server.url]).exit_code == 0
    assert server.patches[-1]["state"] == "failed"
    assert spool.records() == []


def test_a_registration_whose_answer_was_lost_is_found_and_not_made_twice(server, spool):
    job = {"name": "x", "user": "ada", "nodes": [{"node": "n1"}], "start": "2026-01-02T03:04:05.678Z",
           "end": "2026-01-02T04:00:00.000Z", "state": "completed", "tags": {}, "within": None}  # fmt: skip
    record = RunRecord(server.url, job)
    spool.keep(record)
    spool.release(record)
    server.listed = [
        {"id": "OTHER", "name": "x", "start": "2026-01-02T03:04:05.679Z"},
        {"id": "J7", "name": "x", "start": "2026-01-02T03:04:05.678Z"},
    ]
    CliRunner().invoke(cli.app, ["spool", "--spool", str(spool.folder), "--url", server.url])
    assert server.sent("POST") == []
    assert [r.path for r in server.asked if r.method == "PATCH"] == ["/api/v1/jobs/J7"]


def test_a_run_without_a_place_for_its_record_still_ends_with_its_status(tmp_path):
    (tmp_path / "file").touch()
    result, said = run(NOWHERE, Spool(tmp_path / "file" / "spool"), sys.executable, "-c", "raise SystemExit(5)")
    assert result.status == 5
    assert "cannot be kept" in said


def test_a_broken_login_file_costs_no_run(monkeypatch):
    def broken():
        raise Invalid("the file cannot be read")

    monkeypatch.setattr(stored_login, "read", broken)
    stored_login.use_stored_login(["run", "--", "true"], environment := {})
    assert environment == {}
    with pytest.raises(Invalid):
        stored_login.use_stored_login(["jobs"], {})


@pytest.mark.parametrize("url", ["", "wattline", "http://[::1", "ftp://x"])
def test_an_address_that_is_none_costs_no_run(spool, url):
    assert run(url, spool, sys.executable, "-c", "raise SystemExit(4)")[0].status == 4


def test_only_the_strict_way_needs_a_registered_job(server, spool, tmp_path):
    with pytest.raises(Unavailable):
        run(NOWHERE, spool, *touching(tmp_path / "ran"), strict=True)
    server.rejects = "nodes.0.node: there is no node 'n1'"
    with pytest.raises(Invalid, match="no node"):
        run(server.url, spool, *touching(tmp_path / "ran"), strict=True)
    assert not (tmp_path / "ran").exists()
    assert spool.records() == []


@pytest.mark.parametrize("options", [{"tags": ["batch_size"]}, {"per": ["samples"]}])
def test_a_malformed_option_is_rejected_before_anything_runs(server, spool, tmp_path, options):
    with pytest.raises(Invalid, match="k=v"):
        run(server.url, spool, *touching(tmp_path / "ran"), **options)
    assert not (tmp_path / "ran").exists()
    assert not server.asked


def test_a_run_killed_while_it_delivers_leaves_its_record_to_others(spool):
    record = RunRecord(NOWHERE, {"start": "2026-01-02T03:04:05.678Z"})
    spool.keep(record)
    assert spool.records() == []  # it is being delivered
    os.utime(record.path, (time.time() - 601, time.time() - 601))
    assert spool.records() == [record]


# ---- as a process --------------------------------------------------------------------------------------------------
def wattline(spool, *arguments, **more):
    environment = {**os.environ, "WATTLINE_SPOOL_DIR": str(spool.folder), "PYTHONPATH": str(ROOT)}
    environment |= {"NO_PROXY": "127.0.0.1", "WATTLINE_URL": NOWHERE, "COLUMNS": "40"}
    command = [sys.executable, "-m", "app.cli", "run", *arguments]
    return subprocess.Popen(command, env=environment, cwd=ROOT, **more)


def test_standard_output_is_that_of_the_command_and_the_result_is_not_wrapped(spool):
    script = "import os, sys; print('a,b'); sys.stderr.write('noise\\n'); os._exit(7) if not sys.stdin.read() else 0"
    process = wattline(
        spool, "--output", "json", "--node", "n1", "--", sys.executable, "-uc", script,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (7, b"a,b\n")
    result = json.loads(err.decode().splitlines()[-1])
    assert (result["status"], result["job"], result["energy_j"]) == (7, None, None)
    assert result["kept"].startswith(str(spool.folder))
    assert "does not respond" in result["problem"]


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_standard_streams_cost_no_run(spool, tmp_path, closed):
    script = f"import os; open({str(tmp_path / 'ran')!r}, 'w').close(); os._exit(7)"
    read, write = os.pipe()
    process = wattline(
        spool, "--", sys.executable, "-c", script,
        stdin=subprocess.DEVNULL, stdout=write, stderr=subprocess.DEVNULL,
        preexec_fn=lambda: [os.close(number) for number in closed],
    )  # fmt: skip
    os.close(write)
    with open(read, "rb") as out:
        assert out.read() == b"", "the result belongs to standard error alone"
    assert process.wait(timeout=60) == 7
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGINT])
def test_signals_reach_the_command_and_its_end_is_kept(spool, number):
    script = f"import signal, sys; print('up', flush=True); signal.sigwait([{int(number)}]); sys.exit(9)"
    block = f"import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [{int(number)}]); "
    process = wattline(
        spool, "--", sys.executable, "-c", block + script, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout.readline() == b"up\n"
    process.send_signal(number)
    assert process.communicate(timeout=60)[0] == b""
    assert process.returncode == 9
    assert [record.job["state"] for record in spool.records()] == ["failed"]


def test_open_files_reach_the_command_and_its_death_by_a_signal_has_the_status_of_a_shell(spool):
    """MPI launchers give their ranks an open file. No second thread may take the signals of this process."""
    reads, writes = os.pipe()
    count = "b'%d' % len(os.listdir(f'/proc/{os.getppid()}/task'))"
    script = f"import os; os.write({writes}, {count}); os.kill(os.getpid(), 15)"
    process = wattline(spool, "--", sys.executable, "-c", script, stderr=subprocess.DEVNULL, pass_fds=[writes])
    process.communicate(timeout=60)
    assert os.read(reads, 100) == b"1"
    assert process.returncode == 128 + signal.SIGTERM
    os.close(reads)
    os.close(writes)


def test_a_terminal_reaches_the_command_and_control_c_once(spool):
    """Control-C at the terminal is sent to the command by the terminal; it is not sent a second time."""
    script = (
        "import signal, sys, time\nseen = []\nsignal.signal(signal.SIGINT, lambda *_: seen.append(1))\n"
        "print('tty', sys.stdin.isatty(), flush=True)\nwhile not seen: time.sleep(0.01)\ntime.sleep(0.3)\n"
        "print('seen', len(seen), flush=True)\n"
    )
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ |= {"WATTLINE_SPOOL_DIR": str(spool.folder), "WATTLINE_URL": NOWHERE, "PYTHONPATH": str(ROOT)}
        os.execv(sys.executable, [sys.executable, "-m", "app.cli", "run", "--", sys.executable, "-c", script])
    seen = b""
    while b"tty True" not in seen:
        seen += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    while not re.search(rb"seen \d", seen):
        seen += os.read(terminal, 1000)
    assert b"seen 1" in seen
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0
