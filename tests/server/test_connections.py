"""Connections of slow clients end, and their number is limited."""

import shutil
import socket
import time

import pytest

from app.server import http_protocol
from app.server.application import create_app
from app.server.serving import serving
from app.settings import Settings

REQUEST = b"POST /api/v1/ingest HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def address(tmp_path_factory, migrated_sqlite):
    folder = tmp_path_factory.mktemp("connections")
    shutil.copyfile(migrated_sqlite, folder / "wattline.db")
    settings = Settings(data_dir=folder, max_connections=10, ingest_token="i")
    with (
        pytest.MonkeyPatch.context() as patch,
        serving(create_app(settings), background_tasks=False) as url,
    ):
        patch.setattr(http_protocol, "HEADER_S", 0.2)
        patch.setattr(http_protocol, "BODY_S", 0.3)
        yield "127.0.0.1", int(url.rpartition(":")[2])


def said(connection):
    """Return what the server sends until it closes the connection."""
    connection.settimeout(10)
    found = b""
    while True:
        try:
            data = connection.recv(65536)
        except ConnectionResetError:
            return found
        if not data:
            return found
        found += data


@pytest.mark.parametrize("sent", [b"", b"\r\n", b"GET / HT", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
def test_a_connection_without_full_headers_ends(address, sent):
    with socket.create_connection(address) as connection:
        connection.sendall(sent)
        assert said(connection) == b""


def test_headers_without_end_are_refused(address):
    begin = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "
    with socket.create_connection(address) as connection:
        connection.sendall(begin + b"a" * (65_536 - len(begin)) + b"a")
        answer = said(connection)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert b"\r\nx-content-type-options: nosniff\r\n" in answer
    assert answer.endswith(b"\r\n\r\nthe headers are larger than 64 KiB")


def test_a_large_body_is_no_large_header(address):
    body = b'{"x": "' + b"a" * 300_000 + b'"}'
    head = b"Authorization: Bearer i\r\nConnection: close\r\nContent-Length: 300009\r\n\r\n"
    with socket.create_connection(address) as connection:
        connection.sendall(REQUEST + head + body)
        assert said(connection).startswith(b"HTTP/1.1 422 ")


def test_what_is_no_http_is_answered_with_the_headers_of_every_error(address):
    with socket.create_connection(address) as connection:
        connection.sendall(b"GARBAGE\r\n\r\n")
        answer = said(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"\r\nx-content-type-options: nosniff\r\n" in answer
    assert b"\r\ncontent-security-policy: default-src 'none'\r\n" in answer


def test_headers_that_trickle_in_do_not_keep_it_open(address):
    with socket.create_connection(address) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\n")

        def trickle():
            for _ in range(100):
                connection.sendall(b"X: 1\r\n")
                time.sleep(0.02)

        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            trickle()


def test_a_body_that_does_not_arrive_ends_it(address):
    with socket.create_connection(address) as connection:
        connection.sendall(REQUEST + b"Authorization: Bearer i\r\nContent-Length: 100\r\n\r\n{")
        assert said(connection) == b""


def test_a_refused_request_is_answered_at_once_and_its_body_does_not_keep_the_connection(address):
    with socket.create_connection(address) as connection:
        connection.sendall(REQUEST + b"Content-Length: 60000000\r\n\r\n")
        assert said(connection).startswith(b"HTTP/1.1 401 ")


def test_empty_lines_after_an_answer_do_not_keep_it_open(address):
    with socket.create_connection(address) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        answer = b""
        while not answer.endswith(b"}"):
            answer += connection.recv(65536)
        connection.sendall(b"\r\n")
        assert said(connection) == b""


def test_connections_beyond_the_limit_are_told_to_wait(address):
    open_ = [socket.create_connection(address) for _ in range(10)]
    try:
        with socket.create_connection(address) as late:
            answer = said(late)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 5\r\n" in answer
        assert answer.endswith(b"\r\n\r\ntoo many connections")
    finally:
        for connection in open_:
            connection.close()
