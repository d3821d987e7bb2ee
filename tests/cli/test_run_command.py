"""`wattline run`: whatever becomes of the command, its job ends."""

import asyncio
import os
import signal
import sys
import threading

import httpx
import pytest

from app.cli.run import job_run as job_command
from app.cli.run.job_run import RunAs
from app.errors import Invalid, Unavailable
from tests.http_responder import Request, responding

JOB = "/api/v1/jobs/J1"
SUMMARY = {
    "energy_kwh": 0.0099, "duration_s": 20.0, "coverage": 1.0, "source": "pdu",
    "power_w": {"mean": 1788.0, "max": 1790.0},
}  # fmt: skip


class Server:
    """Answers like the API; `refusals` of its next PATCHes are 503s."""

    def __init__(self) -> None:
        self.refusals = 0
        self.patches: list[dict] = []
        self.asked: list[Request] = []

    def __call__(self, request):
        self.asked.append(request)
        if request.method == "PATCH" and self.refusals:
            self.refusals -= 1
            return 503, ""
        if request.method == "PATCH":
            self.patches.append(request.json())
        return 200, {"id": "J1", "summary": SUMMARY}


@pytest.fixture
def server(monkeypatch):
    """The server in a thread of its own: signals reach only the first."""
    monkeypatch.setattr(job_command, "_SETTLE_S", 0)
    monkeypatch.setattr(job_command, "_PAUSES_S", (0, 0, 0))
    answer, ready, loop = Server(), threading.Event(), asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve():
        async with responding(answer) as responder:
            answer.url = responder.url
            ready.set()
            await done.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    ready.wait()
    yield answer
    loop.call_soon_threadsafe(done.set)
    thread.join()
    loop.close()


def run(server, *command, tags=(), **more):
    said = []
    status = job_command.run_command(server.url, "", command, RunAs(tags=tags, node="n1", **more), said.append)
    return status, " ".join(said)


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
        pytest.raises(Invalid, match=detail) as raised,
    ):
        job_command.answer(client, "POST", "/api/v1/jobs", {})
    assert suggested_fix in raised.value.hint


def test_a_run_is_a_job_and_its_energy_is_reported(server):
    status, said = run(server, sys.executable, "-c", "", tags=["batch_size=512"])
    assert (status, [p["state"] for p in server.patches]) == (0, ["completed"])
    registered = server.asked[0].json()
    assert (registered["nodes"], registered["tags"]) == ([{"node": "n1"}], {"batch_size": "512"})
    assert "0.0099 kWh in 20 s, mean 1788 W" in said


def test_its_status_is_ours(server):
    assert run(server, sys.executable, "-c", "raise SystemExit(3)")[0] == 3
    assert [p["state"] for p in server.patches] == ["failed"]


def test_a_command_that_is_not_there_ends_its_job(server):
    status, said = run(server, "no-such-command")
    assert (status, [p["state"] for p in server.patches]) == (127, ["failed"])
    assert "no-such-command: No such file or directory" in said


def test_a_command_that_may_not_be_run_ends_its_job(server, tmp_path):
    (tmp_path / "plain").touch(mode=0o644)
    assert run(server, str(tmp_path / "plain"))[0] == 126
    assert [p["state"] for p in server.patches] == ["failed"]


def test_a_cancelled_run_ends_its_job(server):
    kill_us = f"import os, time; os.kill({os.getpid()}, {int(signal.SIGTERM)}); time.sleep(60)"
    before = signal.getsignal(signal.SIGTERM)
    assert run(server, sys.executable, "-c", kill_us)[0] == 128 + signal.SIGTERM
    assert [p["state"] for p in server.patches] == ["failed"]
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_server_that_restarts_meanwhile_is_sent_the_end(server):
    server.refusals = 3
    assert run(server, sys.executable, "-c", "")[0] == 0
    assert [p["state"] for p in server.patches] == ["completed"]


def test_a_server_that_is_lost_does_not_cost_the_status(server):
    server.refusals = 99
    status, said = run(server, sys.executable, "-c", "raise SystemExit(3)")
    assert status == 3
    assert "job J1: cannot report its end" in said


def test_nothing_runs_without_a_job(server, tmp_path):
    touch = (sys.executable, "-c", f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(Invalid, match="k=v"):
        run(server, *touch, tags=["batch_size"])
    server.url = "http://127.0.0.1:1"
    with pytest.raises(Unavailable):
        run(server, *touch)
    assert not (tmp_path / "ran").exists()


def test_what_it_holds_and_what_work_it_does(server, monkeypatch):
    monkeypatch.setitem(SUMMARY, "per", {"samples": {"count": 1.2e6, "j_per": 0.0297}})
    monkeypatch.setitem(SUMMARY, "shared", True)
    _, said = run(server, sys.executable, "-c", "", per=["samples=1.2e6"], gpus=["0", "1"], cores=16, within="4711")
    told = server.asked[0].json()
    assert told["nodes"] == [{"node": "n1", "gpus": ["0", "1"], "cores": 16}]
    assert told["tags"] == {"per:samples": "1.2e6"}
    assert told["within"] == "4711"
    assert "by pdu, its share of a shared node, 0.0297 J per samples" in said


def test_work_that_is_not_counted_is_refused_before_anything_runs(server):
    with pytest.raises(Invalid, match="'samples' is not k=v"):
        run(server, sys.executable, "-c", "", per=["samples"])
    assert not server.asked


def test_a_run_among_others_that_does_not_tell_what_it_holds_has_no_energy(server, monkeypatch):
    monkeypatch.setitem(SUMMARY, "coverage", 0.0)
    monkeypatch.setitem(SUMMARY, "shared", True)
    _, said = run(server, sys.executable, "-c", "")
    assert "other jobs ran on its node: give its part of the node with --gpus and --cores" in said
