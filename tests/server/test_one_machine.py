"""Servers as a user starts them: one for a data directory, private files, an orderly stop."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from app import paths
from app.server.launch import given_settings

FACILITY = '[site]\nkey = "s"\n[racks.r]\n'
PATIENCE_S = 60.0


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wattline(data: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "app.cli", *arguments],
        env={**os.environ, "WATTLINE_DATA_DIR": str(data), **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=_hear_hangups,
    )  # fmt: skip


def _hear_hangups() -> None:
    """Undo what nohup sets for every process below it."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@contextmanager
def serving(data: Path, *arguments: str, command: str = "serve"):
    port = free_port()
    started = wattline(data, command, "--port", str(port), *arguments)
    try:
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2):
                    break
            except OSError:
                assert started.poll() is None, started.communicate()[0]
                assert time.monotonic() < end
                time.sleep(0.05)
        yield started
    finally:
        started.kill()
        started.wait()
        assert started.stdout is not None
        started.stdout.close()


def test_the_default_is_var_in_the_working_directory(monkeypatch, tmp_path):
    monkeypatch.delenv("WATTLINE_DATA_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    assert paths.data_dir() == tmp_path / "var"
    assert given_settings(None, None).database_url == f"sqlite:///{tmp_path}/var/wattline.db"


def test_the_demo_has_a_directory_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setenv("WATTLINE_DATA_DIR", str(tmp_path))
    demo = given_settings(None, 8123, demo=True)
    assert (demo.data_dir, demo.port) == (tmp_path / "demo", 8123)
    assert demo.database_url == f"sqlite:///{tmp_path}/demo/wattline.db"


@pytest.mark.slow
def test_a_data_directory_has_one_server_private_files_and_an_orderly_end(tmp_path):
    data = tmp_path / "data"
    with serving(data) as first:
        second = wattline(data, "serve", "--port", str(free_port()))
        output = second.communicate(timeout=PATIENCE_S)[0]
        assert second.returncode == 1
        flat = " ".join(output.split())
        assert f"another server (process {first.pid}) uses the data directory {data}" in flat
        assert "set WATTLINE_DATA_DIR to another directory" in flat
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
        assert {stat.S_IMODE(file.stat().st_mode) for file in data.iterdir()} == {0o600}
        first.send_signal(signal.SIGHUP)
        printed = first.communicate(timeout=PATIENCE_S)[0]
        assert first.returncode == 0
        assert f"data directory: {data}" in printed
    with serving(data):  # the lock ended with its process
        pass


@pytest.mark.slow
def test_a_port_in_use_is_reported_before_anything_is_applied(tmp_path):
    file = tmp_path / "facility.toml"
    file.write_text(FACILITY)
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        refused = wattline(tmp_path / "data", "serve", "--port", str(port), "--facility", str(file))
        output = refused.communicate(timeout=PATIENCE_S)[0]
    assert refused.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in " ".join(output.split())
    assert not (tmp_path / "data" / "wattline.db").exists()


@pytest.mark.slow
def test_where_others_reach_it_the_address_and_the_missing_tokens_are_printed(tmp_path):
    with serving(tmp_path, "--host", "0.0.0.0") as server:
        server.send_signal(signal.SIGTERM)
        printed = " ".join(server.communicate(timeout=PATIENCE_S)[0].split())
    assert f"other machines reach it at http://{socket.gethostname()}:" in printed
    assert "not set: WATTLINE_READ_TOKEN, WATTLINE_INGEST_TOKEN" in printed


@pytest.mark.slow
def test_the_collector_ends_with_a_server_that_is_killed(tmp_path):
    with serving(tmp_path, command="up") as server:
        end = time.monotonic() + PATIENCE_S
        while not (children := children_of(server.pid)):
            assert time.monotonic() < end
            time.sleep(0.1)
        server.kill()
        server.wait()
        while any(is_alive(child) for child in children):
            assert time.monotonic() < end
            time.sleep(0.1)


DEAF = """
import asyncio
from app.server import until_stopped

async def deaf():
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            pass

async def work(stop):
    task = asyncio.create_task(deaf())
    print("ready", flush=True)
    await stop.wait()
    print("done", flush=True)

until_stopped(work)
"""


@pytest.mark.slow
def test_a_task_that_ignores_its_cancellation_does_not_keep_a_process(tmp_path):
    with subprocess.Popen([sys.executable, "-c", DEAF], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.terminate()
        assert process.communicate(timeout=PATIENCE_S)[0] == "done\n"


def children_of(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for file in (found, *threads) if file.exists() for child in file.read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
