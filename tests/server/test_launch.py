"""What `wattline up` hands to the collector and the demo facility that it starts."""

import os
import shutil

import pytest

from app.cli.access.user_work import add_user
from app.server.launch import _pass_on, first_start
from app.settings import Settings


@pytest.mark.parametrize(
    ("tokens", "passed"),
    [
        ({}, None),
        ({"read_token": "r"}, "r"),  # delivering is open on this machine then, reading is not
        ({"ingest_token": "i"}, "i"),
        ({"read_token": "r", "ingest_token": "i"}, "i"),
    ],
)
def test_children_get_the_token_that_lets_them_in(monkeypatch, tmp_path, tokens, passed):
    for name in ("WATTLINE_URL", "WATTLINE_DATA_DIR", "WATTLINE_TOKEN"):
        monkeypatch.setenv(name, "before")  # so that they are what they were afterwards
    monkeypatch.delenv("WATTLINE_TOKEN")
    _pass_on(Settings(data_dir=tmp_path, host="0.0.0.0", port=8123, **tokens))
    assert os.environ.get("WATTLINE_TOKEN") == passed
    assert os.environ["WATTLINE_URL"] == "http://127.0.0.1:8123"
    assert os.environ["WATTLINE_DATA_DIR"] == str(tmp_path)


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"host": "::1", "path_prefix": "/power"}, "http://[::1]:8000/power"),
        ({"host": "localhost", "port": 8443, "tls_certificate": "c.pem", "tls_key": "k.pem"}, "https://localhost:8443"),
        ({"public_url": "https://wattline.example.org/"}, "https://wattline.example.org"),
    ],
)
def test_one_time_links_begin_with_the_address_for_people(migrated_sqlite, tmp_path, given, address):
    shutil.copy(migrated_sqlite, tmp_path / "wattline.db")
    settings = Settings(data_dir=tmp_path, **given)
    assert settings.address == address
    (line,) = first_start(settings)
    assert f": {address}/welcome#" in line


def test_a_new_user_gets_a_link_with_the_declared_address(monkeypatch, capsys, migrated_sqlite, tmp_path):
    shutil.copy(migrated_sqlite, tmp_path / "wattline.db")
    monkeypatch.setenv("WATTLINE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("WATTLINE_PUBLIC_URL", "https://wattline.example.org")
    add_user("ada", ["viewer"], "", [])
    assert capsys.readouterr().out.splitlines()[1].startswith("https://wattline.example.org/welcome#")
