"""What `wattline up` hands to the collector and the demo facility that it starts."""

import os

import pytest

from app.server.launch import _pass_on
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
