"""A server, a collector and SNMP agents as processes of their own, and what they stored."""

import contextlib
import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import httpx
import psycopg

from tests.benchmarks.snmp import hosts
from tests.paths import ROOT
from tests.torture.postgres import Cluster

TOKEN = "torture-token-torture-token"
OUTLETS = 4


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Rig:
    """`count` devices polled every second. `folder` holds the database, the outbox and the logs.

    cluster: PostgreSQL instead of SQLite.
    """

    def __init__(self, folder: Path, count: int, cluster: Cluster | None = None) -> None:
        self.folder, self.count, self.cluster = folder, count, cluster
        self.losses = folder / "losses"
        self.port, self.agents_port = free_port(), free_port(socket.SOCK_DGRAM)
        self.database = folder / "server" / "wattline.db"
        self.processes: dict[str, subprocess.Popen] = {}

    def __enter__(self):
        try:
            self._start_all()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start_all(self):
        self.start("agents")
        profiles = self.folder / "profiles"
        profiles.mkdir()
        slow = (ROOT / "collectors" / "profiles" / "snmp" / "apc-rpdu2.toml").read_text("utf-8")
        assert "min_interval_s = 5" in slow
        fast = slow.replace("min_interval_s = 5", "min_interval_s = 1").replace('"apc-rpdu2"', '"torture-pdu"')
        (profiles / "torture-pdu.toml").write_text(fast)
        facility = self.folder / "facility.toml"
        facility.write_text(self._facility())
        self.start("server", "--facility", str(facility))
        self._until_ready()
        self.start("collector")

    def __exit__(self, *_):
        for process in self.processes.values():
            process.kill()
            process.wait()

    def start(self, name, *more):
        commands = {
            "agents": ["-m", "tests.torture.agents", str(self.agents_port), str(OUTLETS), str(self.losses)],
            "server": [*self._command("server"), "serve", "--port", str(self.port), *more],
            "collector": [*self._command("collector"), "collect", "--lease", "5"],
        }
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *commands[name]], env=self._environment(name), stdout=log, stderr=log, cwd=ROOT
            )
        self.processes[name] = process

    def _command(self, name):
        return ["-m", "tests.torture.stepped", str(self.folder / f"{name}.clock")]

    def _environment(self, name):
        given = {
            "WATTLINE_DATA_DIR": str(self.folder / ("server" if name == "server" else "collector")),
            "WATTLINE_URL": f"http://127.0.0.1:{self.port}",
            "WATTLINE_TOKEN": TOKEN,
            "WATTLINE_INGEST_TOKEN": TOKEN,
            "WATTLINE_DEVICE_NETWORKS": "127.0.0.0/8",
            "WATTLINE_PROFILES": str(self.folder / "profiles"),
            "NO_PROXY": "127.0.0.1",
        }
        database = {"WATTLINE_DATABASE_URL": self.cluster.url} if self.cluster else {}
        return os.environ | given | database

    def set_clock(self, name, offset_s):
        """Set the wall clock of a process."""
        (self.folder / f"{name}.clock").write_text(str(offset_s))

    def replay(self, *more):
        """Deliver what the collector held back because of its clock, as an operator does."""
        command = [sys.executable, "-m", "app.cli", "outbox", "replay", "--code", "clock_ahead", *more]
        environment = self._environment("collector")
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait()

    def _until_ready(self):
        deadline = time.monotonic() + 240  # on a busy machine
        while time.monotonic() < deadline:
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"http://127.0.0.1:{self.port}/readyz").status_code == 200:
                    return
            time.sleep(0.1)
        raise AssertionError(f"the server did not start: {(self.folder / 'server.log').read_text()[-2000:]}")

    def _facility(self):
        lines = ['[site]\nkey = "lab"']
        for n, host in enumerate(hosts(self.count)):
            where = f'profile = "torture-pdu"\naddress = "snmp://{host}:{self.agents_port}"'
            lines.append(f"[devices.pdu-{n}]\n{where}\ninterval_s = 1\ntimeout_s = 1")
        return "\n".join(lines)

    def times(self, since_ms=0):
        """The times of the stored frames of each device, of the main group, each as often as it is stored."""
        query = (
            "SELECT device, t_ms FROM frame JOIN stream ON stream.id = stream_id "
            "WHERE group_name = 'main' AND t_ms >= ? ORDER BY t_ms"
        )
        found = defaultdict(list)
        for device, t_ms in self._rows(query, (since_ms,)):
            found[device].append(t_ms)
        return found

    def _rows(self, query, values):
        if self.cluster:
            return self.cluster.rows(query.replace("?", "%s"), values)
        with contextlib.closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=30)) as connection:
            return connection.execute(query, values).fetchall()

    def until_all_since(self, since_ms, within_s):
        """Wait until every device has a frame after a time; return how many seconds after that time it was."""
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            with contextlib.suppress(sqlite3.OperationalError, psycopg.OperationalError):
                if len(self.times(since_ms)) == self.count:
                    return time.time() - since_ms / 1000
            time.sleep(0.1)
        raise AssertionError(f"{len(self.times(since_ms))} of {self.count} devices have readings after {within_s} s")
