"""Pages of other origins may change nothing; another port of the same host is another origin."""

import pytest

from app.api.gate import is_foreign

HOST = {"host": "localhost:8000"}


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, False),  # a script
        ({"sec-fetch-site": "same-origin"}, False),
        ({"sec-fetch-site": "none"}, False),  # typed by the user
        ({"sec-fetch-site": "same-site"}, True),
        ({"sec-fetch-site": "cross-site"}, True),
        ({"origin": "http://localhost:8000"}, False),
        ({"origin": "HTTP://LOCALHOST:8000"}, False),
        ({"origin": "http://localhost:9000", "sec-fetch-site": "same-site"}, True),
        ({"origin": "http://localhost:9000", "sec-fetch-site": "same-origin"}, True),
        ({"origin": "http://127.0.0.1:8000"}, True),
        ({"origin": "http://localhost:8000.evil.example"}, True),
        ({"origin": "http://evil.example"}, True),
        ({"origin": "null"}, True),  # a sandboxed frame, a data: page
        ({"origin": ""}, True),
        ({"origin": "http://[::1"}, True),
        ({"origin": "https://grafana.example"}, False),  # WATTLINE_CORS_ORIGINS
    ],
)
def test_only_the_own_origin_changes_something(headers, expected):
    assert is_foreign(HOST | headers, ["https://grafana.example"]) is expected


@pytest.mark.parametrize(
    ("host", "origin", "expected"),
    [
        ("wattline.example", "https://wattline.example", False),  # TLS ends at a proxy
        ("wattline.example:443", "https://wattline.example", False),
        ("wattline.example:8443", "https://wattline.example", True),
        ("wattline.example", "https://wattline.example:8443", True),
        ("[::1]:8000", "http://[::1]:8000", False),
        ("", "http://localhost", True),
        ("[", "http://[", True),
    ],
)
def test_ports_are_compared_with_their_defaults(host, origin, expected):
    assert is_foreign({"host": host, "origin": origin}, []) is expected
