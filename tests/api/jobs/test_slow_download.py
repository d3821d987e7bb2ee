"""Somebody takes a file home over a slow line while readings come in: the journal of SQLite stays small."""

import contextlib
import socket
from pathlib import Path

import numpy as np

from app.server.application import create_app
from app.server.serving import serving
from app.settings import Settings
from app.store.facility import Device, Node
from app.store.jobs.job import Job, JobNode
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series

HOUR = 3_600_000
START = 1_754_000_000_000
MOST_WAL = 64 * 2**20
OUTLETS = 200


def write(stores, first, hours):
    """A reading of 200 outlets a second."""
    layout = Layout("pdu", "main", 1000, tuple(Series(f"outlet/{i}", Quantity.POWER) for i in range(OUTLETS)))
    rng = np.random.default_rng(first)
    for hour in range(first, first + hours):
        t = START + hour * HOUR + 1000 * np.arange(3600, dtype=np.int64)
        stores.frames.write([FrameBatch(layout, t, rng.normal(500, 50, (3600, OUTLETS)))])


def taken(connection, size):
    """So many bytes of an answer; fewer at its end."""
    got = b""
    while len(got) < size and (piece := connection.recv(min(4096, size - len(got)))):
        got += piece
    return got


def test_the_journal_stays_small_while_a_file_is_taken_slowly(sqlite_engine, tmp_path):
    app = create_app(Settings(data_dir=tmp_path), lambda: START + 100 * HOUR, sqlite_engine)
    stores = app.state.stores
    feeds = tuple(f"pdu/outlet/{i}" for i in range(OUTLETS))
    stores.facility.upsert([Device(key="pdu"), Node(key="n", feeds=feeds)])
    write(stores, 0, 3)
    job = stores.jobs.create(Job(name="j", start_ms=START, end_ms=START + 3 * HOUR, nodes=(JobNode(node="n"),)))
    journal = Path(f"{sqlite_engine.url.database}-wal")
    with serving(app) as url, contextlib.closing(socket.socket()) as connection:
        host, port = url.removeprefix("http://").split(":")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        connection.connect((host, int(port)))
        connection.sendall(f"GET /api/v1/jobs/{job}/curve.csv HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        assert taken(connection, 4096).startswith(b"HTTP/1.1 200 OK")
        sizes = []
        for hour in range(3, 21):  # 104 MB of values
            write(stores, hour, 1)
            sizes.append(journal.stat().st_size)
            assert len(taken(connection, 4096)) == 4096  # the file is still on its way
        assert max(sizes) < MOST_WAL, sizes
