"""The importer that keeps running: what it asks, what it survives, where it goes on. Slurm's commands are scripts."""

import asyncio
import json
import os
import re
import stat
import subprocess

import httpx
import pytest
from typer.testing import CliRunner

from app.cli import app as command_line
from app.client import slurm as slurm_client
from app.client.slurm import Watch, send
from app.errors import Invalid, Unavailable
from app.importers.slurm.sacct import ASKED
from app.importers.slurm.splitting import pieces
from tests.http_responder import responding
from tests.paths import ROOT

HOOK = ROOT / "app" / "cli" / "slurm" / "slurm_hook.sh"
REPORT = {"created": 1, "changed": 0, "unchanged": 2, "skipped": [{"job": "9", "why": "there is no node 'x9'"}]}


class Answers:
    """A server that answers with the next of `statuses`, then with 200s."""

    def __init__(self, *statuses):
        self.statuses = list(statuses)
        self.asked = []

    def __call__(self, request):
        self.asked.append(request)
        status = self.statuses.pop(0) if self.statuses else 200
        return status, json.dumps(REPORT if status == 200 else {"detail": f"answered {status}", "hint": "no"})


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """Scripts called sacct and scontrol that note how they were called."""

    def make(**bodies):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        for name, body in bodies.items():
            script = folder / name
            script.write_text(f'#!/bin/sh\necho "{name} $* $SLURM_TIME_FORMAT" >> {tmp_path}/called\n{body}\n')
            script.chmod(script.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        return tmp_path / "called"

    return make


def watch(url, tmp_path, said, **more):
    client = httpx.AsyncClient(base_url=url)
    return Watch(
        client, {"cluster": "c"}, 0.001, tmp_path / "state.json", 86_400, more.get("as_json", False), said.append
    )


async def rounds(watching, n, asked):
    """Run until the server was asked `n` times."""
    stop = asyncio.Event()
    running = asyncio.create_task(watching.run(stop))
    for _ in range(2000):
        if len(asked) >= n or running.done():
            break
        await asyncio.sleep(0.005)
    stop.set()
    try:
        await asyncio.wait_for(running, 10)
    finally:
        await watching.client.aclose()


def test_a_round_asks_for_what_runs_and_for_what_accounting_knows_since_the_last(commands, tmp_path, monkeypatch):
    called = commands(scontrol="echo JobId=1", sacct="echo 'JobID|'")
    said = []
    monkeypatch.setattr(slurm_client.time, "time", lambda: 1_000_000.0)

    async def work():
        answers = Answers()
        async with responding(answers) as server:
            watching = watch(server.url, tmp_path, said)
            await watching.once()
            monkeypatch.setattr(slurm_client.time, "time", lambda: 1_000_060.0)
            await watching.once()
            await watching.client.aclose()
        return answers.asked

    asked = asyncio.run(work())
    calls = [line.split() for line in called.read_text().splitlines()]
    assert [call[0] for call in calls] == ["scontrol", "sacct", "scontrol", "sacct"]
    assert calls[0] == ["scontrol", "show", "job", "-d", "%s"]
    assert calls[1][1:4] == ["--allusers", "--duplicates", "--starttime=now-86400seconds"]
    assert calls[3][3] == "--starttime=now-3660seconds"  # the minute since, and an hour of overlap
    assert [request.body for request in asked[:2]] == [b"JobId=1\n", b"JobID|\n"]
    assert {request.path for request in asked} == {"/api/v1/jobs/slurm?cluster=c"}
    assert sum("x9" in line for line in said) == 1, "a reason is said once"


def test_json_is_asked_for_without_a_format_of_times(commands, tmp_path):
    """sacct 22.05 trips over it."""
    called = commands(scontrol="", sacct="echo '{\"jobs\": []}'")

    async def work():
        async with responding(Answers()) as server:
            watching = watch(server.url, tmp_path, [], as_json=True)
            await watching.once()
            await watching.client.aclose()

    asyncio.run(work())
    assert called.read_text().splitlines()[1].endswith(" --json ")


def test_a_server_that_is_away_is_waited_for_and_nothing_is_lost(commands, tmp_path, monkeypatch):
    monkeypatch.setattr(slurm_client, "_LONGEST_PAUSE_S", 0.01)
    commands(scontrol="", sacct="")
    said = []

    async def work():
        answers = Answers(503, 503, 502)
        async with responding(answers) as server:
            await rounds(watch(server.url, tmp_path, said), 5, answers.asked)

    asyncio.run(work())
    assert sum("retrying" in line for line in said) == 1
    assert sum("works again" in line for line in said) == 1
    assert "until_s" in json.loads((tmp_path / "state.json").read_text())


def test_while_accounting_fails_the_next_round_asks_for_all_of_it(commands, tmp_path):
    commands(scontrol="", sacct="echo slurmdbd is away >&2; exit 1")

    async def work():
        async with responding(Answers()) as server:
            watching = watch(server.url, tmp_path, [])
            with pytest.raises(Unavailable, match="slurmdbd is away"):
                await watching.once()
            await watching.client.aclose()

    asyncio.run(work())
    assert not (tmp_path / "state.json").exists()


def test_what_cannot_work_is_reported_at_once(commands, tmp_path, monkeypatch):
    commands(scontrol="", sacct="")

    async def work(*statuses):
        answers = Answers(*statuses)
        async with responding(answers) as server:
            await rounds(watch(server.url, tmp_path, []), 9, answers.asked)

    with pytest.raises(Invalid, match="answered 401"):
        asyncio.run(work(401))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Invalid, match="scontrol: No such file"):
        asyncio.run(work())


def test_a_server_that_does_not_answer_is_named():
    async def work():
        async with httpx.AsyncClient(base_url="http://127.0.0.1:9") as client:
            await send(client, "JobID|")

    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:9 does not respond"):
        asyncio.run(work())


def test_long_lines_are_sent_in_pieces_that_tear_no_job():
    lines = ["JobID|State\n", "1|A\n", "1.batch|B\n", "2+0|A\n", "2+1|A\n", "2+0.batch|A\n", "3_1|A\n"]
    cut = list(pieces("".join(lines), longest=20))
    assert cut == ["JobID|State\n1|A\n1.batch|B\n", "JobID|State\n2+0|A\n2+1|A\n2+0.batch|A\n", "JobID|State\n3_1|A\n"]


def test_long_json_is_sent_in_pieces_without_what_without_readings():
    jobs = [{"job_id": n, "het": {"job_id": 2 * (n > 1)}, "time": {}, "script": "x" * 900} for n in (1, 2, 3)]
    cut = [json.loads(piece)["jobs"] for piece in pieces(json.dumps({"jobs": jobs}), longest=100)]
    assert [[job["job_id"] for job in part] for part in cut] == [[1], [2, 3]]
    assert all("script" not in job for part in cut for job in part)


def test_the_commands_from_a_file(tmp_path, monkeypatch):
    monkeypatch.setenv("WATTLINE_DATA_DIR", str(tmp_path / "data"))
    file = tmp_path / "sacct.txt"
    file.write_text("JobID|State|Start|End|NodeList\n7|COMPLETED|1795240813|1795240873|n01\n8|PENDING|||\n")
    done = CliRunner().invoke(command_line, ["import", "slurm", str(file), "--cluster", "tiny", "--dry-run"])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "0 new, 0 changed, 0 unchanged, 2 skipped",
        "  pending: it has not started: 8",
        "  there is no node 'n01': 7",
    ]
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("tz", "note"), [((), "note: local times are read as UTC; set their time zone with --tz\n"), (("--tz", "UTC"), "")]
)
def test_local_times_without_a_zone_are_said(tmp_path, monkeypatch, tz, note):
    monkeypatch.setenv("WATTLINE_DATA_DIR", str(tmp_path / "data"))
    file = tmp_path / "sacct.txt"
    file.write_text("JobID|State|Start|End|NodeList\n7|COMPLETED|2026-11-21T10:00:13|2026-11-21T10:01:13|n01\n")
    done = CliRunner().invoke(command_line, ["import", "slurm", str(file), "--cluster", "tiny", "--dry-run", *tz])
    assert done.exit_code == 0, done.output
    assert done.stderr == note


def test_the_page_shows_the_columns_options_and_settings_there_are():
    page = (HOOK.parents[3] / "docs" / "slurm.md").read_text("utf-8")
    assert f"--format={ASKED}" in page
    for command, options in (("import", {"--cluster", "--tz", "--columns", "--node-prefix", "--dry-run"}),
                             ("slurm", {"--cluster", "--every", "--since-days", "--state", "--json"})):  # fmt: skip
        name = "slurm" if command == "import" else "watch"
        text = CliRunner().invoke(command_line, [command, name, "--help"], env={"COLUMNS": "200"}).output
        assert {option for option in options if option in text and option in page} == options
    used = set(re.findall(r"\bWATTLINE_(?:URL|TOKEN|CLUSTER)\b", HOOK.read_text("utf-8")))
    assert {name for name in used if f"{name}=" in page} == {"WATTLINE_URL", "WATTLINE_TOKEN", "WATTLINE_CLUSTER"}


def test_the_script_for_the_nodes_is_printed():
    done = CliRunner().invoke(command_line, ["slurm", "hook"])
    assert done.output == HOOK.read_text("utf-8")


@pytest.mark.parametrize("context", ["prolog_slurmd", "epilog_slurmd"])
def test_the_script_fails_no_job_whatever_becomes_of_the_server(context):
    environment = {
        "PATH": os.environ["PATH"],
        "SLURM_SCRIPT_CONTEXT": context,
        "SLURM_JOB_ID": "7",
        "WATTLINE_URL": "http://127.0.0.1:9",
        "WATTLINE_SLURM_ENV": "/dev/null",
    }
    assert subprocess.run(["sh", HOOK], env=environment, timeout=20, check=False).returncode == 0


def test_the_script_tells_the_gpus_by_their_uuids(tmp_path):
    smi = tmp_path / "nvidia-smi"
    smi.write_text('#!/bin/sh\n[ "$2" = 0,3 ] && printf "GPU-aa\\nGPU-dd\\n"\n')
    smi.chmod(0o755)
    told = {"SLURM_JOB_ID": "7", "SLURMD_NODENAME": "n1", "SLURM_JOB_GPUS": "0,3", "SLURM_NODELIST": "n[1-2]"}
    environment = told | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "WATTLINE_SLURM_ENV": "/dev/null"}

    async def work():
        answers = Answers()
        async with responding(answers) as server:
            environment.update(WATTLINE_URL=server.url, WATTLINE_TOKEN="secret", SLURM_JOB_USER="a&b")
            process = await asyncio.create_subprocess_exec("sh", str(HOOK), "prolog", env=environment)
            assert await process.wait() == 0
        return answers.asked

    (asked,) = asyncio.run(work())
    query = dict(httpx.QueryParams(asked.path.partition("?")[2]))
    assert asked.method == "POST"
    assert asked.path.startswith("/api/v1/jobs/slurm/prolog?")
    assert {name: query[name] for name in ("job_id", "node", "gpus", "nodelist", "user")} == {
        "job_id": "7",
        "node": "n1",
        "gpus": "GPU-aa,GPU-dd",
        "nodelist": "n[1-2]",
        "user": "a&b",
    }
