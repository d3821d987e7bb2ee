"""What every section is handed: how long it may take, a folder, databases of ours, and the rows to fill."""

from __future__ import annotations

import contextlib
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import text

from app.store.database.engine import Engine, migrate, open_engine
from tests.torture.__main__ import postgres_database


@dataclass(frozen=True)
class Bench:
    """One run. `quick`: smaller and shorter everywhere, to see that it works. `kept`: what later sections ask too."""

    quick: bool
    folder: Path
    kept: dict[str, Any] = field(default_factory=dict)

    def new_folder(self) -> Path:
        """An empty folder."""
        return Path(tempfile.mkdtemp(dir=self.folder))

    @contextlib.contextmanager
    def sqlite(self) -> Iterator[Engine]:
        """A new database of ours in a file."""
        engine = open_engine(f"sqlite:///{self.new_folder() / 'wattline.db'}")
        migrate(engine)
        try:
            yield engine
        finally:
            engine.dispose()

    @contextlib.contextmanager
    def postgresql(self) -> Iterator[Engine | None]:
        """A new database of ours on the server of WATTLINE_TEST_POSTGRES_URL; None where there is none."""
        with contextlib.ExitStack() as stack:
            try:
                url = stack.enter_context(postgres_database())
            except psycopg.OperationalError:
                yield None
                return
            engine = stack.enter_context(contextlib.closing(_Closing(open_engine(url)))).engine
            migrate(engine)
            yield engine


@dataclass(frozen=True)
class _Closing:
    engine: Engine

    def close(self) -> None:
        self.engine.dispose()


def size_of(engine: Engine) -> int:
    """Bytes of a whole database of ours on disk, indexes and empty pages included, once it has come to rest."""
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM FULL"))
            tables = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = {}"
            query = tables.format("current_schema()::regnamespace")
            return int(connection.execute(text(query)).scalar_one())
    path = Path(str(engine.url.database))
    engine.dispose()
    connection = sqlite3.connect(path)
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return folder_size(path.parent)


def folder_size(folder: Path) -> int:
    """Bytes of everything in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@contextlib.contextmanager
def running(command: list[str], ready: str, **environment: str) -> Iterator[None]:
    """A process, once `ready` answers; stopped at the end."""
    process = subprocess.Popen(
        command, env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _await(process, ready)
        yield
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await(process: subprocess.Popen[bytes], ready: str) -> None:
    end_s = time.monotonic() + 60
    while True:
        with contextlib.suppress(OSError, urllib.error.URLError), urllib.request.urlopen(ready, timeout=5):
            return
        if process.poll() is not None or time.monotonic() > end_s:
            raise RuntimeError(f"nothing answered at {ready}")
        time.sleep(0.05)


@contextlib.contextmanager
def served(engine: Engine) -> Iterator[str]:
    """Our server, one process of its own, on a database; yields its address."""
    port = free_port()
    url = engine.url.render_as_string(hide_password=False)
    command = [str(Path(sys.executable).with_name("wattline")), "serve", "--local", "--port", str(port)]
    folder = tempfile.mkdtemp()
    address = f"http://127.0.0.1:{port}"
    with running(command, f"{address}/healthz", WATTLINE_DATABASE_URL=url, WATTLINE_DATA_DIR=folder):
        yield address
