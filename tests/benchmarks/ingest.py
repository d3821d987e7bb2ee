"""How fast frames of 200 values come in while they are sealed behind."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import orjson
import pyarrow as pa

from app.store.database.engine import Engine
from app.store.timeseries.compaction import seal
from app.store.timeseries.frames import FrameStore
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series
from tests.benchmarks.bench import Bench, served
from tests.benchmarks.report import Section
from tests.benchmarks.samples import START_MS, frames

SERIES, DEVICES, FRAMES, INTERVAL_MS = 200, 8, 45, 10_000
DAY_FRAMES = 8640
MOST_PER_S = 1_000_000
"""Samples a second that requests are made for beforehand."""


def layout(device: int) -> Layout:
    """A PDU with 200 outlets."""
    series = tuple(Series(f"outlet/{i + 1}", Quantity.POWER) for i in range(SERIES))
    return Layout(f"pdu-{device}", "main", INTERVAL_MS, series)


def deliveries(repeat_days: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Times and values of some frames, day after day."""
    t, values = frames(DAY_FRAMES, SERIES, 1.0)
    t = t - START_MS % (INTERVAL_MS * DAY_FRAMES)
    for day in range(repeat_days):
        for at in range(0, DAY_FRAMES, FRAMES):
            yield t[at : at + FRAMES] + day * DAY_FRAMES * INTERVAL_MS, values[at : at + FRAMES]


class Sealing:
    """A thread that seals what is over, as the server's upkeep does."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.newest_ms = 0
        self.sealed = 0

    def _run(self) -> None:
        while not self._stop.wait(0.1):
            self.sealed += seal(self._engine, self.newest_ms).values

    def __enter__(self) -> Sealing:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self.sealed += seal(self._engine, self.newest_ms).values


def in_process(engine: Engine, duration_s: float) -> tuple[float, int]:
    """Samples a second for so long, sealing of all windows that are over included, and how many were sealed."""
    store = FrameStore(engine)
    layouts = [layout(device) for device in range(DEVICES)]
    written, began = 0, time.perf_counter()
    with Sealing(engine) as sealing:
        for t, values in deliveries(1000):
            store.write([FrameBatch(one, t, values) for one in layouts])
            written += DEVICES * values.size
            sealing.newest_ms = int(t[-1])
            if time.perf_counter() - began > duration_s:
                break
    return written / (time.perf_counter() - began), sealing.sealed


def over_http(address: str, bodies: Callable[[], Iterator[bytes]], kind: str, duration_s: float, each: int) -> float:
    """Samples a second through the API, four requests at a time."""
    headers = {"Content-Type": kind}
    sent = 0
    ready = list(itertools.islice(bodies(), round(duration_s * MOST_PER_S / each)))
    began = time.perf_counter()
    with httpx.Client(timeout=60) as client, ThreadPoolExecutor(4) as pool:

        def post(body: bytes) -> int:
            answer = client.post(f"{address}/api/v1/ingest?create=meter", content=body, headers=headers)
            answer.raise_for_status()
            assert answer.json()["accepted"], answer.text
            return each

        for i in range(0, len(ready), 8):
            sent += sum(pool.map(post, ready[i : i + 8]))
            if time.perf_counter() - began > duration_s:
                break
    return sent / (time.perf_counter() - began)


def _json_bodies() -> Iterator[bytes]:
    for t, values in deliveries(100):
        for device in range(DEVICES):
            batch = {**_head(device), "t": t.tolist(), "values": values.T.tolist()}
            yield orjson.dumps({"batches": [batch]})


def _arrow_bodies() -> Iterator[bytes]:
    for t, values in deliveries(100):
        for device in range(DEVICES):
            names = ["t", *(f"{row['point']}:power" for row in _head(device)["series"])]
            head = {b"wattline": json.dumps(_head(device)).encode()}
            table = pa.table([pa.array(t), *(pa.array(column) for column in values.T)], names=names)
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, table.schema.with_metadata(head)) as writer:
                writer.write_table(table.replace_schema_metadata(head))
            yield sink.getvalue().to_pybytes()


def _head(device: int) -> dict[str, list[dict[str, str]]]:
    series = [{"point": f"outlet/{i + 1}", "quantity": "power", "unit": "W"} for i in range(SERIES)]
    return {"device": f"pdu-{device}", "interval_s": INTERVAL_MS / 1000, "series": series}  # type: ignore[dict-item]


def run(bench: Bench) -> list[Section]:
    """In process and through the API, on both engines."""
    section = Section("Ingest of frames of 200 values", ("", "SQLite", "PostgreSQL"))
    duration_s = 3.0 if bench.quick else 60.0
    http_s = 3.0 if bench.quick else 10.0
    section.notes.append(
        f"{DEVICES} devices with {FRAMES} frames each per transaction (SQLite) or request; {duration_s:.0f} s in "
        f"process, including sealing of everything written; {http_s:.0f} s through one server process with the client "
        "on the same machine."
    )
    each = FRAMES * SERIES
    cells: dict[str, list[str]] = {"in process": [], "POST /api/v1/ingest, Arrow": [], "POST /api/v1/ingest, JSON": []}
    for opened in (bench.sqlite, bench.postgresql):
        with opened() as engine:
            if engine is None:
                continue
            speed, sealed = in_process(engine, duration_s)
            cells["in process"].append(f"{speed / 1e6:.2f} M/s ({sealed / 1e6:.0f} M sealed)")
        for name, kind, bodies in (
            ("POST /api/v1/ingest, Arrow", "application/vnd.apache.arrow.stream", _arrow_bodies),
            ("POST /api/v1/ingest, JSON", "application/json", _json_bodies),
        ):
            with opened() as engine:
                if engine is not None:
                    with served(engine) as address:
                        speed = over_http(address, bodies, kind, http_s, each)
                    cells[name].append(f"{speed / 1e3:.0f} k/s")
    for name, found in cells.items():
        section.add(name, *found)
    return [section]
