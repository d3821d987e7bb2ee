"""The pages and their files: real addresses, versioned for ever, nothing from elsewhere."""

from __future__ import annotations

import gzip
import re

import pytest

from app.server.application import create_app
from app.settings import Settings
from tests.api.hall import NOW, build
from tests.checked_client import client_of


@pytest.fixture
def app(sqlite_engine, tmp_path):
    app = create_app(Settings(data_dir=tmp_path), now_ms=lambda: NOW, engine=sqlite_engine)
    build(app.state.stores)
    return app


@pytest.fixture
def client(app):
    with client_of(app) as client:
        yield client


@pytest.mark.parametrize(
    ("path", "title"), [("/", "Facility"), ("/racks/r1", "Rack"), ("/nodes/n1", "Node"), ("/compare", "Compare"),
     ("/alerts", "Alerts")]
)  # fmt: skip
def test_a_page_asks_for_versioned_files_of_ours_only(client, path: str, title: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert f"<title>{title} · Wattline</title>" in answer.text
    assert "@static" not in answer.text
    assert "@plotly" not in answer.text
    assert answer.headers["cache-control"] == "no-cache"
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    links = re.findall(r'(?:src|href)="([^"]+)"', answer.text)
    assert all(link.startswith("/") for link in links)
    for link in links:
        if link.startswith("/static/"):
            assert client.get(link).headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("path", ["/racks/nope", "/nodes/nope", "/jobs/nope", "/rackz/r07", "/capacityy"])
def test_a_page_of_nothing_is_a_404_page(client, path: str) -> None:
    answer = client.get(path, headers={"Accept": "text/html,*/*"}, follow_redirects=False)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "Page not found" in answer.text


def test_plotly_comes_compressed_out_of_its_wheel(client) -> None:
    path = re.search(r'"(/static/plotly-[0-9.]+\.min\.js)"', client.get("/").text)
    assert path is not None
    answer = client.get(path[1])
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.text.startswith("/**\n* plotly.js v")


def test_files_of_another_version_are_gone(client) -> None:
    answer = client.get("/static/000000000000/js/core/layout.js")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_no_path_leaves_the_folder(client) -> None:
    version = re.search(r"/static/([0-9a-f]{12})/", client.get("/").text)
    assert version is not None
    assert client.get(f"/static/{version[1]}/..%2f..%2fpyproject.toml").status_code == 404
    assert client.get(f"/static/{version[1]}/index.html").status_code == 404


def test_a_client_without_gzip_gets_plain_bytes(client) -> None:
    style = re.search(r'"(/static/[^"]+/css/wattline\.css)"', client.get("/").text)
    assert style is not None
    plain = client.get(style[1], headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.text == client.get(style[1]).text
    assert len(gzip.compress(plain.content)) < len(plain.content)


def test_no_catch_all(client) -> None:
    assert client.get("/api/v1/typo", headers={"accept": "text/html"}).status_code == 404
    assert client.get("/facilty").status_code == 404


def test_with_a_read_token_the_browser_is_led_to_the_sign_in_page(sqlite_engine, tmp_path) -> None:
    app = create_app(Settings(data_dir=tmp_path, read_token="secret"), now_ms=lambda: NOW, engine=sqlite_engine)
    client = client_of(app)
    answer = client.get("/", headers={"Accept": "text/html"}, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sign-in?next=%2F"
    assert client.get("/", auth=("", "secret")).status_code == 200
