"""What a sample costs on disk once it is sealed, everything counted, and what it takes to bring it in."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import httpx
import numpy as np

from app.importers.tables.meter_log import LogColumn, MeterLog
from app.services.imports.imports import VALUES_PER_REQUEST, batches
from app.store.database.engine import Engine
from app.store.timeseries.compaction import seal
from app.store.timeseries.frames import FrameStore
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series
from tests.benchmarks.bench import Bench, served, size_of
from tests.benchmarks.peers import PostgresRows, Prometheus, SqliteRows, VictoriaMetrics
from tests.benchmarks.report import Section, ms, rate, seconds, times
from tests.benchmarks.samples import HOURS, KINDS, PINNED, START_MS, Trace, job_traces, mix, real

FOR_EVER = 1 << 50
_ONE = (Series("total", Quantity.POWER),)


def _fill(engine: Engine, traces: Sequence[Trace]) -> float:
    """Each trace a device of its own, as `wattline import` delivers logs; the seconds of writing and sealing."""
    frames = FrameStore(engine)

    def write() -> None:
        for i, (t, v) in enumerate(traces):
            layout = Layout(f"meter-{i}", "main", 1000, _ONE)
            for at in range(0, len(t), VALUES_PER_REQUEST):
                part = slice(at, at + VALUES_PER_REQUEST)
                frames.write([FrameBatch(layout, t[part], v[part, None])])
        seal(engine, FOR_EVER)

    return seconds(write)


def run(bench: Bench) -> list[Section]:
    """Kinds of series, the mix beside other stores, real logs."""
    sizes = Section("Bytes per sample", ("", "Wattline (SQLite)", "Wattline (PostgreSQL)", "others"))
    sizes.notes.append(
        "Sealed, one stream per series, on disk after each store has finished its background work; indexes, time "
        "stamps, catalog and empty pages are included. Frames of many series share their time stamps and need less."
    )
    with bench.sqlite() as engine:
        sizes.add("a database without samples", f"{size_of(engine) / 1024:.0f} KiB")
    kinds = mix(*((10, 50_000) if bench.quick else (50, 100_000)))
    for kind in KINDS:
        with bench.sqlite() as engine:
            _fill(engine, kinds[kind])
            sizes.add(f"1 Hz, {kind}", _each(size_of(engine), kinds[kind]))
    whole = [trace for kind in KINDS for trace in kinds[kind]]
    brought = Section("Writing the mix, and reading one series of it", ("", "write, settled", "read"))
    brought.notes.append(
        f"{sum(len(t) for t, _ in whole):,} samples, one stream per series, {VALUES_PER_REQUEST:,} at a time, like "
        "an import of logs; in process, and as JSON through one server process. Write: stored and sealed; "
        "VictoriaMetrics over HTTP, one series per request; Prometheus by promtool. Read: all samples of one series "
        "into arrays."
    )
    others = _mix(bench, sizes, brought, whole)
    _real(bench, sizes)
    sizes.notes.append(others)
    if not PINNED.exists():
        sizes.notes.append("The pinned samples are not available: measured with generated samples of the same kind.")
    return [sizes, brought, *_job_stores(bench)]


def _each(size: int, traces: Sequence[Trace]) -> str:
    return f"{size / sum(len(t) for t, _ in traces):.2f}"


def _mix(bench: Bench, sizes: Section, brought: Section, traces: Sequence[Trace]) -> str:
    n = sum(len(t) for t, _ in traces)
    named = {f"s{i}:power": trace for i, trace in enumerate(traces)}
    start_s, end_s = START_MS // 1000 - 1, START_MS // 1000 + len(traces[0][0]) + 1
    with bench.sqlite() as engine, bench.postgresql() as postgres:
        ours_s = _fill(engine, traces)
        sqlite = size_of(engine)
        read = _read(engine)
        brought.add("Wattline, SQLite", rate(n, ours_s), ms(read))
        brought.add("Wattline, SQLite, through the API", rate(n, _through_api(bench, traces)))
        server = ""
        if postgres is not None:
            theirs_s = _fill(postgres, traces)
            server = _each(size_of(postgres), traces)
            brought.add("Wattline, PostgreSQL", rate(n, theirs_s), ms(_read(postgres)))
    found: list[tuple[str, int]] = []
    if VictoriaMetrics.is_installed():
        victoria = VictoriaMetrics(bench)
        took = victoria.load(named)
        found.append((victoria.name, victoria.bytes()))
        with victoria.serving() as address:
            theirs = victoria.raw(address, "s0:power", start_s, end_s)
        brought.add(victoria.name, rate(n, took), ms(theirs) + times(theirs, read))
    rows = SqliteRows(bench)
    took = rows.load(named)
    found.append((rows.name, rows.bytes()))
    theirs = rows.raw(0)
    brought.add(rows.name, rate(n, took), ms(theirs) + times(theirs, read))
    with PostgresRows.opened() as table:
        if table is not None:
            took = table.load(named)
            found.append((table.name, table.bytes()))
            theirs = table.raw(0)
            brought.add(table.name, rate(n, took), ms(theirs) + times(theirs, read))
    sizes.add("the four together", _each(sqlite, traces), server, "; ".join(f"{k} {v / n:.2f}" for k, v in found))
    return "Compared with Wattline on the mix: " + "; ".join(f"{k}{times(v, sqlite)}" for k, v in found) + "."


def _through_api(bench: Bench, traces: Sequence[Trace]) -> float:
    """Seconds until everything is in and sealed, the making of the requests not counted."""
    bodies = [
        body
        for i, (t, v) in enumerate(traces)
        for body in batches(MeterLog(f"meter-{i}", "csv", t, (LogColumn(_ONE[0], v),), {}), f"meter-{i}")
    ]
    with bench.sqlite() as engine, served(engine) as address, httpx.Client(timeout=300) as client:

        def post() -> None:
            for body in bodies:
                headers = {"Content-Type": "application/json"}
                client.post(f"{address}/api/v1/ingest?create=meter", content=body, headers=headers).raise_for_status()
            seal(engine, FOR_EVER)

        return seconds(post)


def _read(engine: Engine) -> float:
    frames = FrameStore(engine)
    return seconds(lambda: frames.read(["meter-0/total:power"], 0, FOR_EVER), 15)


def _real(bench: Bench, sizes: Section) -> None:
    logs = list(real())
    if bench.quick:
        logs = logs[::8]
    if not logs:
        sizes.notes.append("No MLPerf logs lie beside this checkout.")
        return
    n, named = 0, dict[str, Trace]()
    with bench.sqlite() as engine:
        frames = FrameStore(engine)
        for name, interval_ms, t, values in logs:
            series = tuple(Series(f"channel/{i}", Quantity.POWER) for i in range(values.shape[1]))
            frames.write([FrameBatch(Layout(name, "main", interval_ms, series), t, values)])
            there = [(f"{name}-{i}:power", t[~np.isnan(c)], c[~np.isnan(c)]) for i, c in enumerate(values.T)]
            named |= {key: (at, v) for key, at, v in there if len(v)}
            n += sum(len(v) for _, _, v in there)
        seal(engine, FOR_EVER)
        ours = size_of(engine) / n
    theirs = ""
    if VictoriaMetrics.is_installed():
        victoria = VictoriaMetrics(bench)
        victoria.load(named)
        theirs = f"VictoriaMetrics {victoria.bytes() / n:.2f}"
    sizes.add(f"real meter logs of MLPerf: {len(logs)} logs, {n:,} samples", f"{ours:.2f}", "", theirs)


def _job_stores(bench: Bench) -> list[Section]:
    """The traces of a node, which is what Prometheus gets too: it takes too long for the mix."""
    traces = job_traces()
    n = sum(len(t) for t, _ in traces.values())
    section = Section(
        "A node for 26 h: eight GPUs (power, load) at 1 Hz, six outlets at 10 s", ("", "bytes per sample", "write")
    )
    with bench.sqlite() as engine:
        took = seconds(lambda: (write_node(engine), seal(engine, FOR_EVER)))
        section.add("Wattline, SQLite", f"{size_of(engine) / n:.2f}", rate(n, took))
    for peer in (VictoriaMetrics, Prometheus):
        if peer.is_installed() and not (bench.quick and peer is Prometheus):
            with contextlib.suppress(RuntimeError):
                store, took = with_node(bench, peer)
                section.add(store.name, f"{store.bytes() / n:.2f}", rate(n, took))
    section.notes.append(f"{n:,} samples of {HOURS} h.")
    return [section]


def with_node(
    bench: Bench, peer: type[VictoriaMetrics] | type[Prometheus]
) -> tuple[VictoriaMetrics | Prometheus, float]:
    """Another store with the traces of the node, and the seconds it took to bring them in; done once a run."""
    if peer.name not in bench.kept:
        store = peer(bench)
        bench.kept[peer.name] = (store, store.load(job_traces()))
    found: tuple[VictoriaMetrics | Prometheus, float] = bench.kept[peer.name]
    return found


def write_node(engine: Engine) -> None:
    """The traces of a node: its exporter's stream and its PDU's."""
    frames = FrameStore(engine)
    traces = job_traces()
    for device, prefix, interval_ms in (("n1-exporter", "gpu/", 1000), ("pdu", "outlet/", 10_000)):
        keys = [key for key in traces if key.startswith(prefix)]
        series = tuple(Series(key.partition(":")[0], Quantity(key.partition(":")[2])) for key in keys)
        layout = Layout(device, "main", interval_ms, series)
        t = traces[keys[0]][0]
        values = np.stack([traces[key][1] for key in keys], axis=1)
        for at in range(0, len(t), 3600):
            frames.write([FrameBatch(layout, t[at : at + 3600], values[at : at + 3600])])
