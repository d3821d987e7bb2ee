"""The exporter over real HTTP."""

import http.client
import json
import socket
from urllib.parse import urlsplit

import httpx
import pyarrow as pa
import pytest

from collectors.nvml_exporter import samples_api as answer
from collectors.nvml_exporter import server
from tests.nvml_exporter.nodes import START_MS, serving


def ask(connection: http.client.HTTPConnection) -> bytes:
    connection.request("GET", "/")
    return connection.getresponse().read()


def test_samples_since_a_cursor(node):
    with serving(node) as url:
        node.step(times=3)
        first = httpx.get(f"{url}/samples").json()
        assert first["t_ms"] == [START_MS + 500, START_MS + 1000, START_MS + 1500]
        assert first["gpus"] == {gpu.gpu.uuid: "NVIDIA H100 80GB HBM3" for gpu in node.sampler.gpus}
        power = next(c for c in first["columns"] if (c["point"], c["value"]) == ("gpu/1", "power_average"))
        assert power["values"] == pytest.approx([300.0] * 3)
        node.step(times=2)
        second = httpx.get(f"{url}/samples", params={"since": first["cursor"]}).json()
        assert second["t_ms"] == [START_MS + 2000, START_MS + 2500]
        assert second["lost"] is None


def test_an_answer_in_parts(node):
    with serving(node) as url:
        node.step(times=5)
        part = httpx.get(f"{url}/samples", params={"limit": 2}).json()
        assert (len(part["t_ms"]), part["cursor"] == part["head"]) == (2, False)
        rest = httpx.get(f"{url}/samples", params={"since": part["cursor"]}).json()
        assert (len(rest["t_ms"]), rest["cursor"] == rest["head"]) == (3, True)


def test_arrow_by_the_accept_header(node):
    with serving(node) as url:
        node.step(times=2)
        got = httpx.get(f"{url}/samples", headers={"Accept": answer.ARROW})
        assert got.headers["content-type"] == answer.ARROW
        table = pa.ipc.open_stream(got.content).read_all()
        assert table.column("t_ms").to_pylist() == [START_MS + 500, START_MS + 1000]


def test_json_where_arrow_is_not_installed(node, monkeypatch):
    monkeypatch.setattr(server, "pyarrow", lambda: None)
    with serving(node) as url:
        node.step()
        got = httpx.get(f"{url}/samples", headers={"Accept": answer.ARROW})
        assert got.headers["content-type"] == answer.JSON
        assert got.json()["t_ms"] == [START_MS + 500]


def test_metrics_and_its_own_count(node):
    with serving(node) as url:
        node.step()
        httpx.get(f"{url}/metrics")
        got = httpx.get(f"{url}/metrics")
        assert got.headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
        assert 'wattline_exporter_requests_total{path="/metrics"} 2' in got.text
        assert got.text.endswith("# EOF\n")


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/samples?since=yesterday", 400, "bad_cursor"),
        ("/samples?limit=0", 400, "bad_limit"),
        ("/samples?limit=2001", 400, "bad_limit"),
        ("/samples?limit=" + "9" * 5000, 400, "bad_limit"),
        ("/samples?limit=00000000019999", 400, "bad_limit"),
        ("/samples/", 404, "not_found"),
        ("/favicon.ico", 404, "not_found"),
    ],
)
def test_questions_that_have_no_answer(node, path, status, code):
    with serving(node) as url:
        got = httpx.get(url + path)
        assert (got.status_code, got.json()["code"]) == (status, code)


def test_a_token(node):
    with serving(node, token="s3cret") as url:
        node.step()
        assert httpx.get(f"{url}/metrics").status_code == 401
        assert httpx.get(f"{url}/samples", headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert httpx.get(f"{url}/samples", headers={"Authorization": "Bearer s3cret"}).status_code == 200


def test_nothing_can_be_changed(node):
    with serving(node) as url:
        assert httpx.post(f"{url}/samples").status_code == 501


def test_too_many_connections_are_turned_away_and_free_places_are_used_again(node):
    with serving(node) as url:
        host, port = urlsplit(url).hostname, urlsplit(url).port
        held = []
        for _ in range(32):
            connection = http.client.HTTPConnection(host, port, timeout=5)
            ask(connection)
            held.append(connection)
        one_more = http.client.HTTPConnection(host, port, timeout=5)
        with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
            ask(one_more)
        for connection in held:
            connection.close()
        for _ in range(200):
            try:
                assert httpx.get(f"{url}/").status_code == 200
                break
            except httpx.HTTPError:
                continue
        else:
            raise AssertionError("no place became free")


def test_a_broken_request_harms_no_one(node, capsys):
    with serving(node) as url:
        with socket.create_connection((urlsplit(url).hostname, urlsplit(url).port)) as raw:
            raw.sendall(b"\x00\xff nonsense\r\n\r\n")
            raw.recv(1000)
        node.step()
        assert json.loads(httpx.get(f"{url}/samples").content)["t_ms"]
    assert capsys.readouterr().err == ""
