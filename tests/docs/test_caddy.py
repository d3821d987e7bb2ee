"""The documented recipe of Caddy, run by a real Caddy: TLS, path prefix, event stream, large bodies, who asks."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import ssl
import subprocess
import time

import httpx
import pytest

from app.server.application import create_app
from app.server.serving import serving
from app.settings import Settings
from app.store.facility import Device, Node, Rack
from tests.docs.blocks import block, replaced
from tests.docs.test_operation import HOST, NOW, TOKEN, certificate, free_port
from tests.paths import DOCS

CADDY = shutil.which("caddy")
PAGE = DOCS / "reverse-proxy.md"


@contextlib.contextmanager
def caddy(folder, upstream):
    """A real Caddy with the recipe of the page, but with a certificate of our own; yields its port."""
    port = free_port()
    certificate(folder)
    own = f"https://{HOST}:{port} {{\n    tls {folder}/fullchain.pem {folder}/privkey.pem"
    recipe = replaced(
        block(PAGE, "text", f"{HOST} {{"), {f"{HOST} {{": own, "127.0.0.1:8000": upstream.removeprefix("http://")}
    )
    settings = f"{{\n    admin off\n    auto_https disable_redirects\n    storage file_system {folder}/storage\n}}\n"
    (folder / "Caddyfile").write_text(settings + recipe)
    command = [CADDY, "run", "--config", folder / "Caddyfile", "--adapter", "caddyfile"]
    home = os.environ | {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=home, text=True)
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()


@pytest.mark.skipif(CADDY is None and os.environ.get("CI") != "true", reason="caddy is not installed")
def test_caddy_passes_everything_on(sqlite_engine, tmp_path):
    tokens = {"read_token": TOKEN, "ingest_token": "another-long-random-text", "admin_token": "a-third-one"}
    listed = dict(re.findall(r"WATTLINE_(\w+)=(.*)", block(PAGE, "ini", "WATTLINE_TRUSTED")))
    proxy = {"trusted_proxies": listed["TRUSTED_PROXIES"], "hsts_days": listed["HSTS_DAYS"], "path_prefix": "/wattline"}
    app = create_app(Settings(data_dir=tmp_path, **tokens, **proxy), engine=sqlite_engine)
    app.state.stores.facility.upsert([Rack(key="r1"), Device(key="pdu"), Node(key="n1", rack="r1")])
    allowed = {"Authorization": f"Bearer {TOKEN}"}
    with serving(app, background_tasks=False) as upstream, caddy(tmp_path, upstream) as port:
        trusted = ssl.create_default_context(cafile=tmp_path / "fullchain.pem")
        with httpx.Client(base_url=f"https://localhost:{port}", verify=trusted, timeout=30) as client:
            client.headers["Host"] = HOST
            refused = client.get("/api/v1/jobs")
            assert refused.status_code == 401
            assert refused.headers["Strict-Transport-Security"] == f"max-age={365 * 86_400}"
            page = client.get("/wattline/", headers=allowed)
            assert (page.status_code, '="/wattline/' in page.text) == (200, True)
            n = 200_000  # 3 MB
            batch = {
                "device": "pdu",
                "interval_s": 1,
                "series": [{"point": "inlet", "quantity": "power", "unit": "W"}],
                "t": list(range(NOW, NOW + 1000 * n, 1000)),
                "values": [[1.0] * n],
            }
            delivers = {"Authorization": "Bearer another-long-random-text"}
            answer = client.post("/wattline/api/v1/ingest", json=batch, headers=delivers)
            assert (answer.status_code, answer.json()["accepted"]) == (200, n)
            with client.stream("GET", "/wattline/api/v1/live", headers=allowed) as stream:
                assert stream.headers["content-type"].startswith("text/event-stream")
                assert next(stream.iter_lines()) != ""  # it is not kept until more is there
            changes = {"Authorization": "Bearer a-third-one", "Origin": f"https://{HOST}"}
            assert client.post("/wattline/api/v1/sites", json={"key": "own"}, headers=changes).status_code == 201
            foreign = changes | {"Origin": "https://evil.example"}
            assert client.post("/wattline/api/v1/sites", json={"key": "other"}, headers=foreign).status_code == 403
        other = httpx.HTTPTransport(verify=trusted, local_address="127.0.0.2")
        with httpx.Client(base_url=f"https://localhost:{port}", transport=other, headers={"Host": HOST}) as client:
            tries = [
                client.get("/api/v1/jobs", headers={"Authorization": f"Bearer {i}", "X-Forwarded-For": f"10.9.9.{i}"})
                for i in range(11)
            ]
        assert [answer.status_code for answer in tries] == [401] * 10 + [429]
        assert "127.0.0.2" in tries[-1].json()["detail"]  # no client chooses its address
