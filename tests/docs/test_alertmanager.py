"""Beside a real Alertmanager: what it sends has the form of our webhook, and the documented routes are accepted."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import socket
import subprocess
import threading
import time
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from app.domain.alerts import Alert, AlertLevel
from app.presentation.alerts import webhook_message
from app.store.alerts import StoredAlert
from tests.docs.blocks import block
from tests.paths import DOCS

ALERTMANAGER, AMTOOL = shutil.which("prometheus-alertmanager"), shutil.which("amtool")
SERVER = "https://wattline.example.org"


@pytest.fixture(autouse=True)
def installed():
    if ALERTMANAGER is None or AMTOOL is None:
        if os.environ.get("CI") == "true":
            pytest.fail("prometheus-alertmanager is not installed")
        pytest.skip("prometheus-alertmanager is not installed")


@contextlib.contextmanager
def webhook():
    """A receiver of webhooks; yields its address and the messages that arrive."""
    heard: queue.Queue[dict] = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            heard.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            """Be quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", heard
        server.shutdown()


@contextlib.contextmanager
def alertmanager(folder, config):
    """A real Alertmanager; yields its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    (folder / "alertmanager.yml").write_text(config)
    arguments = {
        "config.file": folder / "alertmanager.yml",
        "storage.path": folder,
        "web.listen-address": address,
        "cluster.listen-address": "",
    }
    process = subprocess.Popen(
        [ALERTMANAGER, *(f"--{name}={value}" for name, value in arguments.items())], stderr=subprocess.PIPE, text=True
    )
    try:
        for _ in range(200):
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"http://{address}/-/ready").status_code == 200:
                    break
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()


def shape(value):
    """Return the names and types of a JSON value."""
    if isinstance(value, dict):
        return {name: shape(item) for name, item in value.items()}
    return [shape(value[0])] if isinstance(value, list) else type(value)


def test_the_webhook_has_the_form_of_what_alertmanager_sends(tmp_path):
    since_ms = round(time.time() * 1000) - 60_000
    alert = Alert("rack_load", "r1", AlertLevel.CRIT, since_ms, 9100.0, 9000.0, "W", rack="r1", opened_ms=since_ms)
    ours = webhook_message([StoredAlert(1, alert)], SERVER)
    given = {name: ours["alerts"][0][name] for name in ("labels", "annotations", "startsAt", "generatorURL")}
    with webhook() as (url, heard):
        route = "{receiver: wattline, group_wait: 0s, group_by: [alertname]}"
        config = f"route: {route}\nreceivers: [{{name: wattline, webhook_configs: [{{url: '{url}'}}]}}]\n"
        with alertmanager(tmp_path, config) as address:
            httpx.post(f"{address}/api/v2/alerts", json=[given]).raise_for_status()
            theirs = heard.get(timeout=60)
    grouped = {"groupLabels": {"alertname": str}}  # ours are not grouped
    assert shape(ours) | grouped == shape(theirs)
    assert (ours["version"], ours["status"], ours["receiver"]) == (
        theirs["version"], theirs["status"], theirs["receiver"]
    )  # fmt: skip
    (mine,), (its,) = ours["alerts"], theirs["alerts"]
    for name in ("status", "labels", "annotations", "generatorURL", "endsAt"):
        assert mine[name] == its[name], name
    assert datetime.fromisoformat(mine["startsAt"]) == datetime.fromisoformat(its["startsAt"])
    assert ours["commonLabels"] == theirs["commonLabels"]
    assert ours["commonAnnotations"] == theirs["commonAnnotations"]


@pytest.mark.parametrize(
    ("labels", "receiver"),
    [
        ("severity=page", "on-call"),
        ("rule=failover severity=crit", "electricians"),
        ("rule=inlet_temperature severity=warn", "cooling"),
        ("rule=no_readings severity=warn", "ops"),
    ],
)
def test_the_documented_routes_lead_where_the_page_says(labels, receiver, tmp_path):
    config = tmp_path / "alertmanager.yml"
    config.write_text(block(DOCS / "alerts.md", "yaml", "# alertmanager.yml"))
    routes = [AMTOOL, "config", "routes", "test", f"--config.file={config}", *labels.split()]
    done = subprocess.run(routes, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, receiver), done.stderr
