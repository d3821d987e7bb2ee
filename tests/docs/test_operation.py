"""The pages about operation: units pass systemd, nginx passes everything on, a restored backup has all data."""

import contextlib
import json
import os
import re
import secrets
import shutil
import socket
import ssl
import subprocess
import threading
import time
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import psycopg
import pytest
from sqlalchemy import event, inspect, make_url

from app.server.application import create_app
from app.server.serving import serving
from app.settings import Settings
from app.store.access import User
from app.store.database import migrate, open_engine, schema_is_current
from app.store.facility import Device, Node, Rack
from tests.docs.blocks import WATTLINE, block, blocks, replaced, run
from tests.paths import DOCS

TOKEN = "a-long-random-text"
HOST = "wattline.example.org"
NOW = 1_763_640_000_000
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def units():
    whole = block(DOCS / "systemd.md", "ini", "[Unit]")
    usual = re.search(r"^ExecStart=.*$", whole, re.MULTILINE)[0]
    others = [text.strip() for text in blocks(DOCS / "systemd.md", "ini") if text.startswith("ExecStart=")]
    return [whole, *(whole.replace(usual, other) for other in others)]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
@pytest.mark.parametrize("unit", units(), ids=["up", "serve", "collect"])
def test_the_units_pass_systemd(unit, tmp_path):
    executable = shutil.which("true")
    path = tmp_path / "wattline.service"
    path.write_text(replaced(unit, {"/opt/wattline/bin/wattline": executable}))
    done = subprocess.run(["systemd-analyze", "verify", str(path)], capture_output=True, text=True, timeout=60)
    complaints = [line for line in done.stderr.splitlines() if "wattline.service" in line]
    assert (done.returncode, complaints) == (0, [])


@pytest.mark.parametrize("unit", units(), ids=["up", "serve", "collect"])
def test_the_commands_of_the_units_have_these_options(unit, tmp_path):
    arguments = re.search(r"^ExecStart=/opt/wattline/bin/wattline (\S+)(.*)$", unit, re.MULTILINE)
    shown = run(f"{WATTLINE} {arguments[1]} --help", tmp_path, COLUMNS="200")
    assert all(option in shown for option in re.findall(r"--[a-z-]+", arguments[2]))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def certificate(folder):
    openssl = shutil.which("openssl")
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem", "-subj", f"/CN={HOST}",
         "-addext", f"subjectAltName=DNS:{HOST},DNS:localhost"],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip


def recipe():
    server = block(DOCS / "reverse-proxy.md", "nginx", "server")
    below = block(DOCS / "reverse-proxy.md", "nginx", "location /wattline/")
    return server.rstrip().removesuffix("}") + below + "}\n"


def signing_in():
    """The server of the page with the locations of a proxy that signs users in."""
    server = block(DOCS / "reverse-proxy.md", "nginx", "server")
    return (
        server[: server.index("    location / {")] + block(DOCS / "reverse-proxy.md", "nginx", "auth_request") + "}\n"
    )


@contextlib.contextmanager
def nginx(folder, upstream, text, **more):
    """A real nginx with a server of the page; yields its port."""
    port = free_port()
    certificate(folder)
    changes = {
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/wattline/": f"{folder}/",
        "http://127.0.0.1:8000": upstream,
        **more,
    }
    paths = "".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;" if os.geteuid() == 0 else ""  # its workers would be nobody, who may not write to the folder
    (folder / "nginx.conf").write_text(
        f"{user} daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1; events {{}}\n"
        f"http {{ access_log off; {paths}\n{replaced(text, changes)} }}"
    )
    process = subprocess.Popen([NGINX, "-e", folder / "error.log", "-c", folder / "nginx.conf"], stderr=subprocess.PIPE)
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


def require_nginx():
    if NGINX is None:
        if os.environ.get("CI") == "true":
            pytest.fail("nginx is not installed")
        pytest.skip("nginx is not installed")


@pytest.fixture
def proxied(sqlite_engine, tmp_path):
    """A server with tokens behind nginx, and a client that trusts its certificate."""
    require_nginx()
    tokens = {"read_token": TOKEN, "ingest_token": "another-long-random-text", "admin_token": "a-third-one"}
    listed = dict(re.findall(r"WATTLINE_(\w+)=(.*)", block(DOCS / "reverse-proxy.md", "ini", "WATTLINE_TRUSTED")))
    proxy = {"trusted_proxies": listed["TRUSTED_PROXIES"], "hsts_days": listed["HSTS_DAYS"], "path_prefix": "/wattline"}
    app = create_app(Settings(data_dir=tmp_path, **tokens, **proxy), engine=sqlite_engine)
    app.state.stores.facility.upsert([Rack(key="r1"), Device(key="pdu"), Node(key="n1", rack="r1")])
    with serving(app, background_tasks=False) as upstream, nginx(tmp_path, upstream, recipe()) as port:
        trusted = ssl.create_default_context(cafile=tmp_path / "fullchain.pem")
        with httpx.Client(base_url=f"https://localhost:{port}", verify=trusted, timeout=30) as client:
            client.headers["Host"] = HOST
            yield client


def test_nginx_passes_everything_on(proxied):
    assert proxied.get("/healthz").json() == {"status": "ok"}
    assert proxied.get("/api/v1/jobs").status_code == 401
    allowed = {"Authorization": f"Bearer {TOKEN}"}
    assert proxied.get("/api/v1/racks", headers=allowed).json()["items"][0]["key"] == "r1"
    page = proxied.get("/", auth=("anyone", TOKEN))
    assert page.status_code == 200
    assert "https://" not in "".join(re.findall(r'(?:src|href)="([^"]+)"', page.text))
    assert proxied.get("/nodes/n1", auth=("anyone", TOKEN)).status_code == 200
    n = 200_000  # 3 MB: more than the 1 MB that nginx accepts by default
    batch = {
        "device": "pdu",
        "interval_s": 1,
        "series": [{"point": "inlet", "quantity": "power", "unit": "W"}],
        "t": list(range(NOW, NOW + 1000 * n, 1000)),
        "values": [[1.0] * n],
    }
    answer = proxied.post("/api/v1/ingest", json=batch, headers={"Authorization": "Bearer another-long-random-text"})
    assert (answer.status_code, answer.json()["accepted"]) == (200, n)


@pytest.mark.parametrize("prefix", ["", "/wattline"])
def test_live_values_are_not_buffered(proxied, prefix):
    with proxied.stream("GET", f"{prefix}/api/v1/live", headers={"Authorization": f"Bearer {TOKEN}"}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert next(answer.iter_lines()) != ""  # nginx would keep the first event until its buffer is full


def test_below_a_path_everything_is_below_it(proxied):
    allowed = {"Authorization": "Bearer a-third-one"}
    page = proxied.get("/wattline/", headers=allowed)
    links = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert links
    assert {link.split("/")[1] for link in links} == {"wattline"}
    assert {proxied.get(link, headers=allowed).status_code for link in links} == {200}
    assert proxied.get("/wattline/api/v1/openapi.json", headers=allowed).json()["servers"] == [{"url": "/wattline"}]
    made = proxied.post("/wattline/api/v1/sites", json={"key": "bnl"}, headers=allowed)
    assert made.headers["Location"] == "/wattline/api/v1/sites/bnl"
    assert proxied.get(made.headers["Location"], headers=allowed).json()["key"] == "bnl"


def test_it_is_known_who_asks_and_that_it_was_by_tls(proxied):
    refused = proxied.get("/api/v1/jobs")
    assert refused.headers["Strict-Transport-Security"] == f"max-age={365 * 86_400}"
    origin = {"Origin": f"https://{HOST}", "Authorization": "Bearer a-third-one"}
    assert proxied.post("/api/v1/sites", json={"key": "own"}, headers=origin).status_code == 201
    foreign = origin | {"Origin": f"https://{HOST}:8443"}
    assert proxied.post("/api/v1/sites", json={"key": "other"}, headers=foreign).status_code == 403


def test_wrong_tokens_are_counted_for_the_client_behind_the_proxy(proxied, tmp_path):
    trusted = ssl.create_default_context(cafile=tmp_path / "fullchain.pem")
    other = httpx.HTTPTransport(verify=trusted, local_address="127.0.0.2")
    with httpx.Client(base_url=proxied.base_url, transport=other, headers={"Host": HOST}) as client:
        tries = [
            client.get("/api/v1/jobs", headers={"Authorization": f"Bearer {n}", "X-Forwarded-For": f"10.9.9.{n}"})
            for n in range(11)
        ]
    assert [answer.status_code for answer in tries] == [401] * 10 + [429]
    assert "127.0.0.2" in tries[-1].json()["detail"]  # no client chooses its address
    assert proxied.get("/api/v1/jobs", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


class SignedInUsers(BaseHTTPRequestHandler):
    """What oauth2-proxy answers nginx: who has the cookie of a user."""

    def do_GET(self):
        user = (self.headers.get("Cookie") or "").removeprefix("who=")
        self.send_response(202 if user else 401)
        self.send_header("X-Auth-Request-User", user)
        self.send_header("X-Auth-Request-Groups", "hpc-users,others")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Be quiet."""


def test_a_proxy_signs_users_in_and_nobody_else_does(sqlite_engine, tmp_path):
    require_nginx()
    text = block(DOCS / "reverse-proxy.md", "ini", "WATTLINE_USER_PROXIES")
    listed = {name.lower(): value for name, value in re.findall(r"WATTLINE_(\w+)=(.*)", text)}
    listed["group_roles"] = json.loads(listed["group_roles"])
    app = create_app(Settings(data_dir=tmp_path, local_mode=False, **listed), engine=sqlite_engine)
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), SignedInUsers) as users,
        serving(app, background_tasks=False) as upstream,
    ):
        threading.Thread(target=users.serve_forever, args=(0.02,), daemon=True).start()
        service = {"http://127.0.0.1:4180": f"http://127.0.0.1:{users.server_port}"}
        with nginx(tmp_path, upstream, signing_in(), **service) as port:
            trusted = ssl.create_default_context(cafile=tmp_path / "fullchain.pem")
            with httpx.Client(base_url=f"https://localhost:{port}", verify=trusted, timeout=30) as client:
                stated = {"X-Remote-User": "root", "X-Remote-Groups": "dc-ops"}
                assert client.get("/api/v1/me", headers=stated).status_code == 401
                ada = {"Cookie": "who=ada"}
                me = client.get("/api/v1/me", headers=ada | stated).json()
                assert (me["name"], me["how"], me["roles"]) == ("ada", "proxy", ["researcher"])
                assert client.get("/", headers=ada).status_code == 200
                origin = {"Origin": f"https://localhost:{port}"}
                made = client.post("/api/v1/tokens", json={"name": "x", "scopes": ["read"]}, headers=ada | origin)
                assert made.status_code == 201
                foreign = ada | {"Origin": "https://evil.example"}
                assert client.post("/api/v1/tokens", json={}, headers=foreign).status_code == 403
                token = {"Authorization": f"Bearer {made.json()['token']}"}
                assert client.get("/api/v1/me", headers=token | stated).json()["name"] == "ada"
                assert client.get("/api/v1/me", headers={"Authorization": "Bearer wl_x"} | stated).status_code == 401
        users.shutdown()
        elsewhere = httpx.Client(base_url=upstream, transport=httpx.HTTPTransport(local_address="127.0.0.2"))
        with elsewhere:
            pretended = stated | {"X-Forwarded-For": "127.0.0.1"}
            for headers in (stated, pretended, stated | token):
                refused = elsewhere.get("/api/v1/me", headers=headers)
                assert (refused.status_code, refused.json()["code"]) == (403, "untrusted_proxy")
            assert elsewhere.get("/api/v1/me", headers=token).json()["name"] == "ada"
        with httpx.Client(base_url=upstream) as proxy:
            twice = [("X-Remote-User", "ada"), ("X-Remote-User", "root")]
            assert proxy.get("/api/v1/me", headers=twice).json()["code"] == "untrusted_proxy"
            unknown = {"X-Remote-User": "bob", "X-Remote-Groups": "none"}
            assert proxy.get("/api/v1/me", headers=unknown).json()["code"] == "no_role"
            app.state.stores.users.create(User("local", ("admin",)))
            assert proxy.get("/api/v1/me", headers={"X-Remote-User": "local"}).json()["code"] == "name_taken"


def test_without_user_proxies_the_header_means_nothing(sqlite_engine, tmp_path):
    app = create_app(Settings(data_dir=tmp_path, local_mode=False), engine=sqlite_engine)
    with serving(app, background_tasks=False) as url:
        assert httpx.get(f"{url}/api/v1/me", headers={"X-Remote-User": "root"}).status_code == 401


def test_commands_trust_the_certificate_that_they_are_given(proxied, tmp_path):
    port = proxied.base_url.port
    shown = run(
        f"{WATTLINE} run --require --wait 0 --node n1 --name try -- true 2>&1",
        tmp_path,
        WATTLINE_URL=f"https://localhost:{port}",
        WATTLINE_TOKEN="another-long-random-text",
        SSL_CERT_FILE=str(tmp_path / "fullchain.pem"),
    )
    assert "/jobs/" in shown


def test_without_tokens_a_proxy_that_passes_the_host_opens_nothing(sqlite_engine, tmp_path):
    app = create_app(Settings(data_dir=tmp_path), engine=sqlite_engine)
    with serving(app, background_tasks=False) as url:
        assert httpx.get(f"{url}/api/v1/jobs").status_code == 200
        assert httpx.get(f"{url}/api/v1/jobs", headers={"Host": HOST}).status_code == 401


def test_the_server_speaks_https_itself(sqlite_engine, tmp_path):
    certificate(tmp_path)
    listed = dict(re.findall(r"WATTLINE_(TLS_\w+)=(.*)", block(DOCS / "reverse-proxy.md", "ini", "WATTLINE_HOST")))
    files = {name.lower(): path.replace("/etc/ssl/wattline", str(tmp_path)) for name, path in listed.items()}
    settings = Settings(data_dir=tmp_path, hsts_days=1, **files)
    trusted = ssl.create_default_context(cafile=tmp_path / "fullchain.pem")
    with serving(create_app(settings, engine=sqlite_engine), background_tasks=False) as url:
        port = url.rpartition(":")[2]
        answer = httpx.get(f"https://localhost:{port}/api/v1/jobs", verify=trusted)
        assert (answer.status_code, answer.headers["Strict-Transport-Security"]) == (200, "max-age=86400")
        old = ssl.create_default_context(cafile=tmp_path / "fullchain.pem")
        with warnings.catch_warnings(action="ignore"):
            old.maximum_version = ssl.TLSVersion.TLSv1_1
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"https://localhost:{port}/healthz", verify=old)


def test_a_certificate_that_cannot_be_used_is_named(tmp_path):
    missing = {"WATTLINE_TLS_CERTIFICATE": "/nowhere/c.pem", "WATTLINE_TLS_KEY": "/nowhere/k.pem"}
    shown = run(f"{WATTLINE} serve --port {free_port()} 2>&1 || true", tmp_path, **missing)
    assert "/nowhere/c.pem" in shown
    assert "WATTLINE_TLS_KEY" in shown
    shown = run(f"{WATTLINE} serve 2>&1 || true", tmp_path, WATTLINE_TLS_KEY="/nowhere/k.pem")
    assert "WATTLINE_TLS_CERTIFICATE and WATTLINE_TLS_KEY belong together" in shown


def a_day_of_data(app, first):
    stores = app.state.stores
    stores.facility.upsert([Device(key="pdu"), Node(key="n1", feeds=("pdu/outlet/1",))])
    with serving(app, background_tasks=False) as url:
        batch = {
            "device": "pdu",
            "interval_s": 10,
            "series": [{"point": "outlet/1", "quantity": "power", "unit": "W"}],
            "t": [first + 10_000 * i for i in range(100)],
            "values": [[500.0] * 100],
        }
        assert httpx.post(f"{url}/api/v1/ingest", json=batch).json()["accepted"] == 100
        job = {"name": "a", "nodes": [{"node": "n1"}], "start": first, "end": first + 900_000}
        return httpx.post(f"{url}/api/v1/jobs", json=job).json()["id"]


def energy_j(settings, job):
    engine = open_engine(settings.database_url)
    try:
        with serving(create_app(settings, engine=engine), background_tasks=False) as url:
            assert httpx.get(f"{url}/readyz").json() == {"status": "ready"}
            answer = httpx.get(f"{url}/api/v1/jobs/{job}")
            return answer.json()["summary"]["energy_j"] if answer.status_code == 200 else None
    finally:
        engine.dispose()


def test_a_copy_of_sqlite_restores_what_was_there(sqlite_engine, tmp_path):
    data, backups = tmp_path / "data", tmp_path / "backups"
    data.mkdir()
    backups.mkdir()
    settings = Settings(data_dir=data)
    engine = open_engine(settings.database_url)
    migrate(engine)
    app = create_app(settings, engine=engine)
    job = a_day_of_data(app, NOW)
    paths = {
        "/var/lib/wattline": str(data),
        "/var/backups/wattline": str(backups),
        "runuser -u wattline -- ": "",
        "/opt/wattline/bin/wattline": WATTLINE,
    }
    page = DOCS / "backup.md"
    # the database is open and its newest pages are in the journal beside it
    assert (data / "wattline.db-wal").stat().st_size > 0
    make = replaced(block(page, "sh", "install -d"), paths | {"-o wattline": ""})
    assert "verified" in run(make, tmp_path)
    later = a_day_of_data(app, NOW + 3_600_000)
    engine.dispose()
    restore = re.sub(r"^(systemctl|curl) .*$", "", block(page, "sh", "--replace"), flags=re.MULTILINE)
    shown = run(replaced(restore, paths), tmp_path)
    assert "the former database is" in shown
    assert energy_j(settings, job) == pytest.approx(450_000.0)
    assert energy_j(settings, later) is None


@pytest.mark.skipif(not shutil.which("pg_dump"), reason="pg_dump is not installed")
def test_a_dump_of_postgresql_restores_what_was_there(postgres_url, empty_database, tmp_path):
    engine = open_engine(postgres_url)
    empty_database(engine)
    job = a_day_of_data(create_app(Settings(data_dir=tmp_path, database_url=postgres_url), engine=engine), NOW)
    engine.dispose()
    page, source = DOCS / "backup.md", make_url(postgres_url)
    name = f"{source.database}_{secrets.token_hex(3)}"
    restored = source.set(database=name).render_as_string(hide_password=False)
    there = {
        "postgresql://wattline@db.example.org/wattline": postgres_url,
        "/var/backups": str(tmp_path),
        " wattline db ": f" {WATTLINE} db ",
    }
    try:
        run(replaced(block(page, "sh", "db backup /var/backups/wattline-2026-11-22.dump"), there), tmp_path)
        create = f"--host={source.host} --port={source.port or 5432} --username={source.username} {name}"
        restore = replaced(
            block(page, "sh", "createdb --host=db.example.org --owner=wattline wattline_restored"),
            {
                "--host=db.example.org --owner=wattline wattline_restored": create,
                "postgresql://wattline@db.example.org/wattline_restored": restored,
                "/var/backups": str(tmp_path),
                " wattline db ": f" {WATTLINE} db ",
            },
        )
        run(restore, tmp_path, PGPASSWORD=source.password or "")
        assert energy_j(Settings(data_dir=tmp_path, database_url=restored), job) == pytest.approx(450_000.0)
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@pytest.fixture
def fresh_postgres(postgres_url):
    name = f"{make_url(postgres_url).database}_{secrets.token_hex(3)}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        yield make_url(postgres_url).set(database=name).render_as_string(hide_password=False)
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_an_interrupted_upgrade_leaves_the_database_as_it_was(kind, tmp_path, request):
    url = f"sqlite:///{tmp_path / 'new.db'}" if kind == "sqlite" else request.getfixturevalue("fresh_postgres")
    engine = open_engine(url)

    def interrupt(_connection, _cursor, statement, *_):
        if statement.startswith("UPDATE alembic_version"):  # the first migration is done, the second nearly
            raise KeyboardInterrupt

    event.listen(engine, "before_cursor_execute", interrupt)
    with pytest.raises(KeyboardInterrupt):
        migrate(engine)
    assert inspect(engine).get_table_names() == []
    event.remove(engine, "before_cursor_execute", interrupt)
    migrate(engine)
    assert schema_is_current(engine)
    engine.dispose()
