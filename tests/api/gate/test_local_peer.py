"""Local mode: the kernel tells whose the other end of a connection is."""

import grp
import os
import pwd
import shutil
import socket
import subprocess
import sys
import time

import httpx
import pytest

from app.api.gate import local_peer
from app.server.application import create_app
from app.server.serving import serving
from app.settings import Settings

# Rows as Linux 5.10 printed them: 127.0.0.1:43212 -> 127.0.0.1:8000 of user 1000, and its other end; the same port
# of a socket that its process has closed (TIME_WAIT), which is listed with user 0 and inode 0.
TCP = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 21 1 0000000000000000 100 0
   1: 0100007F:A8CC 0100007F:1F40 01 00000000:00000000 00:00000000 00000000  1000        0 22 1 0000000000000000 20 4
   2: 0100007F:1F40 0100007F:A8CC 01 00000000:00000000 00:00000000 00000000     0        0 23 1 0000000000000000 20 4
   3: 0100007F:A8CD 0100007F:1F40 06 00000000:00000000 03:00000D2A 00000000     0        0 0 3 0000000000000000
   4: 0100007F:A8CE 0100007F:1F40 01 00000000:00000000 00:00000000 00000000     0        0 0 3 0000000000000000
"""
TCP6 = """\
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:A8CC 00000000000000000000000001000000:1F40 01 00000000:00000000 00:00000000 00000000  1001        0 31 1 0 20 4
   1: 0000000000000000FFFF00000100007F:A8D0 0000000000000000FFFF00000100007F:1F40 01 00000000:00000000 00:00000000 00000000  1002        0 32 1 0 20 4
"""  # noqa: E501


@pytest.fixture
def tables(tmp_path, monkeypatch):
    for name, text in (("tcp", TCP), ("tcp6", TCP6)):
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(local_peer, "_TABLES", (tmp_path / "tcp", tmp_path / "tcp6", tmp_path / "missing"))


@pytest.mark.skipif(sys.byteorder != "little", reason="the rows are of a little-endian machine")
@pytest.mark.parametrize(
    ("local", "remote", "uid"),
    [
        (("127.0.0.1", 43212), ("127.0.0.1", 8000), 1000),
        (("127.0.0.1", 8000), ("127.0.0.1", 43212), 0),
        (("::1", 43212), ("::1", 8000), 1001),
        (("127.0.0.1", 43216), ("127.0.0.1", 8000), 1002),  # an IPv6 socket that speaks IPv4
        (("127.0.0.1", 43213), ("127.0.0.1", 8000), None),  # closed
        (("127.0.0.1", 43214), ("127.0.0.1", 8000), None),  # without a process
        (("127.0.0.1", 43212), ("127.0.0.1", 8001), None),
    ],
)
def test_the_owner_is_that_of_the_row(tables, local, remote, uid):
    assert local_peer.socket_owner(local, remote) == uid


@pytest.fixture(scope="module")
def url(tmp_path_factory, migrated_sqlite):
    folder = tmp_path_factory.mktemp("local")
    shutil.copyfile(migrated_sqlite, folder / "wattline.db")
    with serving(create_app(Settings(data_dir=folder)), background_tasks=False) as address:
        yield address


def test_the_own_user_needs_no_token(url):
    assert httpx.get(f"{url}/api/v1/jobs").status_code == 200


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs a process as another user")
_OTHER = "nobody"
_GET = (
    "import sys, urllib.request, urllib.error\n"
    "try: print(urllib.request.urlopen(sys.argv[1]).status)\n"
    "except urllib.error.HTTPError as e: print(e.code, e.read().decode())\n"
)


@needs_root
def test_another_user_of_this_machine_needs_a_token(url):
    command = ["/usr/bin/env", "python3", "-c", _GET, f"{url}/api/v1/jobs"]
    said = subprocess.run(command, user=_OTHER, cwd="/", capture_output=True, text=True, check=True, timeout=30).stdout
    assert said.startswith("401 ")
    assert "user that runs the server" in said


NGINX = """\
user {user} {group};
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass {url}; }} }}
}}
"""


@needs_root
@pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed")
def test_a_plain_proxy_on_this_machine_makes_nobody_an_administrator(url, tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    group = grp.getgrgid(pwd.getpwnam(_OTHER).pw_gid).gr_name
    tmp_path.chmod(0o755)
    (tmp_path / "nginx.conf").write_text(NGINX.format(user=_OTHER, group=group, folder=tmp_path, port=port, url=url))
    command = ["nginx", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"), "-g", "daemon off;"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as nginx:
        try:
            answer = _get(f"http://127.0.0.1:{port}/api/v1/jobs")
            assert (answer.status_code, answer.json()["code"]) == (401, "token_not_set")
            made = httpx.post(f"http://127.0.0.1:{port}/api/v1/sites", json={"key": "theirs"})
            assert made.status_code == 401
        finally:
            nginx.terminate()
            nginx.wait(10)


def _get(address):
    for _ in range(100):
        try:
            return httpx.get(address)
        except httpx.TransportError:
            time.sleep(0.05)
    return httpx.get(address)
