"""Conditional requests, compression and CORS: what RFC 9110 and the Fetch standard ask for."""

import gzip

import pytest
import zstandard
from fastapi.responses import Response
from fastapi.testclient import TestClient
from pydantic import ValidationError

from app.api.http import Compression
from app.settings import Settings

GRAFANA = "https://grafana.example.org"


@pytest.fixture
def etag(client, hall):
    return client.get("/api/v1/nodes/n1").headers["etag"]


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', 'W/"a,b", W/{}', "*", " * "])
def test_what_the_client_has_is_a_304(client, etag, form):
    answer = client.get("/api/v1/nodes/n1", headers={"If-None-Match": form.format(etag)})
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["etag"] == etag
    assert "content-type" not in answer.headers
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/healthz", "/api/v1/nodes/n1", "/api/v1/nodes/n1/curve.csv", "/js/app.js"])
def test_head_has_the_headers_of_get_and_no_body(client, hall, path):
    """RFC 9110, 9.3.2; load balancers and `curl -I` ask so."""
    head, get = client.head(path), client.get(path)
    assert (head.status_code, head.content) == (get.status_code, b"")
    assert head.headers["content-type"] == get.headers["content-type"]
    assert head.headers.get("etag") == get.headers.get("etag")


def test_head_of_the_live_stream_ends(client, hall):
    answer = client.head("/api/v1/live")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"].startswith("text/event-stream")


@pytest.mark.parametrize("form", ['"other"', '"{}"', "", 'W/"other"', "**"])
def test_another_version_is_sent(client, etag, form):
    answer = client.get("/api/v1/nodes/n1", headers={"If-None-Match": form.format(etag.strip('"')[:-1])})
    assert (answer.status_code, answer.json()["key"]) == (200, "n1")


def test_a_changed_object_is_sent_again(client, etag):
    client.patch("/api/v1/nodes/n1", json={"label": "new"})
    assert client.get("/api/v1/nodes/n1", headers={"If-None-Match": etag}).status_code == 200


def test_an_error_or_a_list_without_etag_is_no_304(client, hall):
    assert client.get("/api/v1/nodes/nobody", headers={"If-None-Match": "*"}).status_code == 404
    assert client.get("/api/v1/nodes", headers={"If-None-Match": "*"}).status_code == 200


def test_if_none_match_does_not_stop_a_change(client, etag):
    answer = client.patch("/api/v1/nodes/n1", json={"label": "new"}, headers={"If-None-Match": "*"})
    assert answer.status_code == 200


def raw(client, path, encoding):
    unchecked = TestClient(client.app, base_url="http://127.0.0.1")  # the octets of a stream can be read once
    with unchecked.stream("GET", path, headers={"Accept-Encoding": encoding}) as answer:
        return answer.headers, b"".join(answer.iter_raw())


@pytest.mark.parametrize("path", ["/api/v1/openapi.json", "/api/v1/facility", "/metrics"])
@pytest.mark.parametrize(
    ("accepted", "sent"),
    [
        ("gzip", "gzip"),
        ("zstd", "zstd"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, zstd;q=0", "gzip"),
        ("br", None),
        ("identity", None),
    ],
)
def test_answers_are_compressed_as_the_client_accepts(client, hall, path, accepted, sent):
    headers, body = raw(client, path, accepted)
    assert headers.get("content-encoding") == sent
    assert "accept-encoding" in headers["vary"].lower()
    if sent:
        decoders = {"gzip": gzip.decompress, "zstd": zstandard.ZstdDecompressor().decompressobj().decompress}
        plain = decoders[sent](body)
        assert len(plain) > len(body)
        assert path == "/metrics" or plain == client.get(path, headers={"Accept-Encoding": "identity"}).content


@pytest.mark.parametrize("accepted", ["gzip", "zstd"])
def test_event_streams_are_never_compressed(accepted):
    async def events(scope, receive, send):
        answer = Response(b"data: x\n\n" * 1000, media_type="text/event-stream")
        await answer(scope, receive, send)

    headers, body = raw(TestClient(Compression(events)), "/", accepted)
    assert "content-encoding" not in headers
    assert body == b"data: x\n\n" * 1000


def test_a_short_answer_is_not_compressed(client, hall):
    headers, _ = raw(client, "/api/v1/jobs", "zstd, gzip")
    assert "content-encoding" not in headers


def test_pages_keep_the_compression_that_they_were_stored_with(client):
    headers, body = raw(client, "/", "gzip, zstd")
    assert headers["content-encoding"] == "gzip"
    assert headers["vary"].lower().count("accept-encoding") == 1
    assert gzip.decompress(body).startswith(b"<!doctype html>")


def test_no_origin_is_allowed_by_default(client):
    answer = client.get("/api/v1/jobs", headers={"Origin": GRAFANA})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers
    asked = {"Origin": GRAFANA, "Access-Control-Request-Method": "GET"}
    assert client.options("/api/v1/jobs", headers=asked).status_code == 405


def test_a_named_origin_may_call_the_api(make_client):
    client = make_client(cors_origins=(GRAFANA,), read_token="r", ingest_token="i")
    asked = {"Origin": GRAFANA, "Access-Control-Request-Method": "POST"}
    asked["Access-Control-Request-Headers"] = "authorization, content-type"
    allowed = client.options("/api/v1/jobs", headers=asked)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, GRAFANA)
    assert "access-control-allow-credentials" not in allowed.headers
    page = {"Origin": GRAFANA, "Sec-Fetch-Site": "cross-site", "Authorization": "Bearer i"}
    assert client.post("/api/v1/jobs", json={}, headers=page).status_code == 422
    assert client.get("/api/v1/jobs", headers=page).headers["access-control-allow-origin"] == GRAFANA
    missing = client.get("/api/v1/jobs", headers={"Origin": GRAFANA})
    assert (missing.status_code, missing.headers["access-control-allow-origin"]) == (401, GRAFANA)


def test_another_origin_may_not(make_client):
    client = make_client(cors_origins=(GRAFANA,))
    page = {"Origin": "https://evil.example.org", "Sec-Fetch-Site": "cross-site"}
    assert "access-control-allow-origin" not in client.get("/api/v1/jobs", headers=page).headers
    assert client.post("/api/v1/jobs", json={}, headers=page).status_code == 403
    asked = {"Origin": "https://evil.example.org", "Access-Control-Request-Method": "POST"}
    assert client.options("/api/v1/jobs", headers=asked).status_code == 400


def test_origins_are_separated_by_commas(monkeypatch):
    assert Settings().cors_origins == ()
    monkeypatch.setenv("WATTLINE_CORS_ORIGINS", f"{GRAFANA}, http://localhost:3000")
    assert Settings().cors_origins == (GRAFANA, "http://localhost:3000")


@pytest.mark.parametrize("text", ["*", "grafana.example.org", f"{GRAFANA}/", f"{GRAFANA}/d/1", "https://*.example.org"])
def test_what_is_no_origin_is_refused(monkeypatch, text):
    monkeypatch.setenv("WATTLINE_CORS_ORIGINS", text)
    with pytest.raises(ValidationError, match="is not an origin"):
        Settings()
