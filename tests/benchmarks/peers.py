"""Other stores a user would pick, fed the same samples on the same machine: over their own interfaces."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from tests.benchmarks.bench import Bench, folder_size, free_port, running
from tests.benchmarks.report import seconds
from tests.benchmarks.samples import Trace
from tests.torture.__main__ import postgres_database

POINTS = 1000
"""Steps of a curve; each with its lowest and its highest value."""


def get(address: str, path: str, **query: str) -> Any:
    """JSON of an answer."""
    with urllib.request.urlopen(f"{address}{path}?{urllib.parse.urlencode(query)}", timeout=300) as answer:
        return json.load(answer)


def job_queries(address: str, start_s: int, end_s: int, *, victoria: bool) -> dict[str, float]:
    """Seconds for the curves, energy, median and maximum of every series, each with its lows and highs."""
    step, whole = (end_s - start_s) // POINTS, f"{end_s - start_s}s"
    every, power = '{job="bench"}', '{job="bench",quantity="power"}'
    span = {"start": str(start_s + step), "end": str(end_s), "step": str(step), "nocache": "1"}
    curves = (
        [f"rollup({every}[{step}s])"]
        if victoria
        else [f"min_over_time({every}[{step}s])", f"max_over_time({every}[{step}s])"]
    )
    energy = f"integrate({power}[{whole}])" if victoria else f"avg_over_time({power}[{whole}]) * {end_s - start_s}"
    at = {"time": str(end_s), "nocache": "1"}

    def curve() -> None:
        for query in curves:
            assert get(address, "/api/v1/query_range", query=query, **span)["data"]["result"]

    def instant(query: str) -> None:
        assert get(address, "/api/v1/query", query=query, **at)["data"]["result"]

    return {
        "curves": seconds(curve, 5),
        "energy": seconds(lambda: instant(energy), 5),
        "median": seconds(lambda: instant(f"quantile_over_time(0.5, {every}[{whole}])"), 5),
        "maximum": seconds(lambda: instant(f"max_over_time({every}[{whole}])"), 5),
    }


def _labels(name: str) -> dict[str, str]:
    point, _, quantity = name.partition(":")
    return {"point": point, "quantity": quantity, "job": "bench"}


class VictoriaMetrics:
    """Single node, samples by JSON import."""

    name = "VictoriaMetrics"
    is_victoria = True

    def __init__(self, bench: Bench) -> None:
        self._folder = bench.new_folder()

    @staticmethod
    def is_installed() -> bool:
        """Whether there is one here."""
        return shutil.which("victoria-metrics") is not None

    @contextlib.contextmanager
    def serving(self) -> Iterator[str]:
        """Its address."""
        port = free_port()
        command = [
            "victoria-metrics", f"-storageDataPath={self._folder}", f"-httpListenAddr=127.0.0.1:{port}",
            "-retentionPeriod=100y", "-search.latencyOffset=0s",
        ]  # fmt: skip
        with running(command, f"http://127.0.0.1:{port}/health"):
            yield f"http://127.0.0.1:{port}"

    def load(self, traces: Mapping[str, Trace]) -> float:
        """Seconds until everything is in, the making of the requests not counted."""
        bodies = [
            json.dumps(
                {"metric": {"__name__": "sample"} | _labels(name), "values": v.tolist(), "timestamps": t.tolist()}
            ).encode()
            for name, (t, v) in traces.items()
        ]
        with self.serving() as address:

            def post() -> None:
                for body in bodies:
                    urllib.request.urlopen(f"{address}/api/v1/import", body, timeout=300).close()
                urllib.request.urlopen(f"{address}/internal/force_flush", timeout=300).close()

            took = seconds(post)
            urllib.request.urlopen(f"{address}/internal/force_merge", timeout=600).close()
            _await_merges(address)
        return took

    def bytes(self) -> int:
        """On disk, after it merged and stopped."""
        return folder_size(self._folder)

    def raw(self, address: str, name: str, start_s: int, end_s: int) -> float:
        """Seconds to read all samples of a series into arrays."""
        match = f'sample{{point="{_labels(name)["point"]}",quantity="{_labels(name)["quantity"]}"}}'

        def read() -> None:
            found = get(address, "/api/v1/export", **{"match[]": match, "start": str(start_s), "end": str(end_s)})
            np.array(found["timestamps"]), np.array(found["values"])

        return seconds(read, 9)


def _await_merges(address: str) -> None:
    """It merges behind its answer."""
    while True:
        time.sleep(1.0)
        with urllib.request.urlopen(f"{address}/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        if not any(line.startswith("vm_active_") and "merges" in line and not line.endswith(" 0") for line in lines):
            return


class Prometheus:
    """Blocks made by promtool, which is how history is brought into it."""

    name = "Prometheus"
    is_victoria = False

    def __init__(self, bench: Bench) -> None:
        self._folder = bench.new_folder()

    @staticmethod
    def is_installed() -> bool:
        """Whether there is one here."""
        return shutil.which("prometheus") is not None and shutil.which("promtool") is not None

    @contextlib.contextmanager
    def serving(self) -> Iterator[str]:
        """Its address."""
        port = free_port()
        config = self._folder.parent / f"{self._folder.name}.yml"
        config.write_text("global: {}\n")
        command = [
            "prometheus", f"--config.file={config}", f"--storage.tsdb.path={self._folder}",
            f"--web.listen-address=127.0.0.1:{port}", "--storage.tsdb.retention.time=100y",
        ]  # fmt: skip
        with running(command, f"http://127.0.0.1:{port}/-/ready"):
            yield f"http://127.0.0.1:{port}"

    def load(self, traces: Mapping[str, Trace]) -> float:
        """Seconds that promtool takes, the making of its text not counted."""
        text = self._folder.parent / f"{self._folder.name}.txt"
        with text.open("w") as file:
            file.write("# TYPE sample gauge\n")
            for name, (t, v) in traces.items():
                labels = ",".join(f'{key}="{value}"' for key, value in _labels(name).items())
                file.writelines(
                    f"sample{{{labels}}} {value!r} {at / 1000!r}\n"
                    for at, value in zip(t.tolist(), v.tolist(), strict=True)
                )
            file.write("# EOF\n")
        command = ["promtool", "tsdb", "create-blocks-from", "openmetrics", "-q", str(text), str(self._folder)]
        took = seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
        text.unlink()
        return took

    def bytes(self) -> int:
        """On disk, as promtool left it."""
        return folder_size(self._folder)

    def raw(self, address: str, name: str, start_s: int, end_s: int) -> float:
        """Seconds to read all samples of a series into arrays."""
        match = f'sample{{point="{_labels(name)["point"]}",quantity="{_labels(name)["quantity"]}"}}[{end_s - start_s}s]'

        def read() -> None:
            (found,) = get(address, "/api/v1/query", query=match, time=str(end_s))["data"]["result"]
            np.array([(t, float(v)) for t, v in found["values"]])

        return seconds(read, 5)


class SqliteRows:
    """A row per sample, as one would write it first."""

    name = "SQLite, one row per sample"

    def __init__(self, bench: Bench) -> None:
        self._path = bench.new_folder() / "rows.db"

    def load(self, traces: Mapping[str, Trace]) -> float:
        """Seconds to insert."""
        rows = _rows(traces)
        with contextlib.closing(sqlite3.connect(self._path)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("CREATE TABLE sample (s INTEGER, t INTEGER, v REAL, PRIMARY KEY (s, t)) WITHOUT ROWID")

            def insert() -> None:
                for i in range(0, len(rows), 100_000):
                    connection.executemany("INSERT INTO sample VALUES (?, ?, ?)", rows[i : i + 100_000])
                    connection.commit()

            return seconds(insert)

    def bytes(self) -> int:
        """On disk, vacuumed."""
        with contextlib.closing(sqlite3.connect(self._path)) as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return folder_size(Path(self._path).parent)

    def raw(self, series: int) -> float:
        """Seconds to read all samples of a series into arrays."""
        with contextlib.closing(sqlite3.connect(self._path)) as connection:
            query = f"SELECT t, v FROM sample WHERE s = {series} ORDER BY t"
            return seconds(lambda: np.array(connection.execute(query).fetchall()), 9)


class PostgresRows:
    """A row per sample, by COPY."""

    name = "PostgreSQL, one row per sample"

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)

    @staticmethod
    @contextlib.contextmanager
    def opened() -> Iterator[PostgresRows | None]:
        """A new database; None where there is no server."""
        try:
            with postgres_database() as url:
                rows = PostgresRows(url)
                yield rows
                rows._connection.close()
        except psycopg.OperationalError:
            yield None

    def load(self, traces: Mapping[str, Trace]) -> float:
        """Seconds to copy, index included."""
        rows = _rows(traces)
        self._connection.execute("CREATE TABLE sample (s int, t bigint, v float8, PRIMARY KEY (s, t))")

        def copy() -> None:
            with self._connection.cursor() as cursor, cursor.copy("COPY sample FROM STDIN") as pipe:
                for row in rows:
                    pipe.write_row(row)

        return seconds(copy)

    def bytes(self) -> int:
        """Of the table and its index."""
        self._connection.execute("VACUUM FULL sample")
        row = self._connection.execute("SELECT pg_total_relation_size('sample')").fetchone()
        return int(row[0]) if row else 0

    def raw(self, series: int) -> float:
        """Seconds to read all samples of a series into arrays."""
        query = "SELECT t, v FROM sample WHERE s = %s ORDER BY t"
        return seconds(lambda: np.array(self._connection.execute(query, (series,)).fetchall()), 9)


def _rows(traces: Mapping[str, Trace]) -> list[tuple[int, int, float]]:
    return [
        (series, at, value)
        for series, (t, v) in enumerate(traces.values())
        for at, value in zip(t.tolist(), v.tolist(), strict=True)
    ]
