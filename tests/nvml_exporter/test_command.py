"""The command: alone on a node, light, and clear about what it cannot do."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from typer.testing import CliRunner

from app.cli import app
from collectors.errors import ConfigError
from collectors.nvml_exporter.command import exporting
from collectors.nvml_exporter.sensors.nvml import Nvml, load_pynvml
from tests.nvml_exporter.fake_nvml import Driver, installed
from tests.nvml_exporter.nodes import board
from tests.paths import ROOT

HEAVY = {"numpy", "sqlalchemy", "sqlmodel", "fastapi", "pyarrow", "httpx", "pymodbus", "pysnmp", "alembic"}
LIGHT = {"pydantic", "typer", "rich"}


def loaded(code: str) -> set[str]:
    """Top-level packages a fresh interpreter has after `code`."""
    told = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return set(told.stdout.split())


def test_the_command_brings_no_database_and_no_server():
    assert not loaded("import app.cli, collectors.nvml_exporter.command") & HEAVY


def test_as_a_module_it_needs_the_standard_library_alone():
    assert not loaded("import collectors.nvml_exporter.__main__") & (HEAVY | LIGHT)


@pytest.mark.parametrize(
    ("interval_s", "keep_minutes", "said"),
    [(0.05, 10, "--interval 0.05 s is too short"), (0.1, 0, "0 samples"), (0.1, 1e6, "600000000 samples")],
)
def test_settings_that_cannot_be(interval_s, keep_minutes, said):
    with pytest.raises(ConfigError, match=said), exporting(None, "127.0.0.1", 0, interval_s, keep_minutes):
        pass


def test_not_a_number_is_no_interval():
    with pytest.raises(ConfigError), exporting(None, "127.0.0.1", 0, float("nan"), 10):
        pass


def test_a_port_that_is_taken():
    with (
        exporting(None, "127.0.0.1", 0, 0.5, 1) as (_, port),
        pytest.raises(ConfigError, match=f"cannot listen on 127.0.0.1:{port}"),
        exporting(None, "127.0.0.1", port, 0.5, 1),
    ):
        pass


def test_the_command_line_says_what_it_takes():
    text = CliRunner().invoke(app, ["nvml-exporter", "--help"], env={"COLUMNS": "200", "NO_COLOR": "1"}).output
    assert all(option in text for option in ("--port", "--interval", "--keep-minutes", "--host"))
    assert "9835" in text


def test_a_thread_samples_and_http_answers():
    with installed(Driver([board()])), exporting(Nvml(load_pynvml()), "127.0.0.1", 0, 0.1, 1) as (exporter, port):
        while exporter.sampling.samples < 3:
            time.sleep(0.01)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/samples") as got:
            body = json.load(got)
    assert len(body["t_ms"]) >= 3
    assert body["interval_ms"] == 100
    assert body["columns"][0]["values"][0] == pytest.approx(400.0)


def test_a_node_without_a_gpu_is_served_and_the_process_ends_when_reported():
    command = [sys.executable, "-m", "collectors.nvml_exporter", "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stderr is not None
        told = process.stderr.readline()
        url = told.split("/metrics")[0]
        with urllib.request.urlopen(f"{url}/metrics") as got:
            assert "wattline_exporter_driver_up" in got.read().decode()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="no IPv6 here")
def test_an_address_of_ipv6():
    with exporting(None, "::1", 0, 0.5, 1) as (_, port), urllib.request.urlopen(f"http://[::1]:{port}/") as got:
        assert got.status == 200
