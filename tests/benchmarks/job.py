"""A job of 26 h on a node with eight GPUs: its curves, energy and statistics, ours beside other stores'."""

from __future__ import annotations

from pathlib import Path

import httpx

from app.domain.energy.curve_statistics import statistics
from app.domain.energy.energy import energy_j
from app.services.jobs.curve import drawn
from app.services.jobs.power import job_power
from app.services.rollups.minute_rollups import refresh_minutes
from app.services.stores import Stores, open_stores
from app.settings import Settings
from app.store.database.engine import Engine
from app.store.facility import Device, Node, Rack
from app.store.jobs.job import Job, JobNode
from app.store.timeseries.compaction import seal
from tests.benchmarks.bench import Bench, served
from tests.benchmarks.peers import Prometheus, VictoriaMetrics, job_queries
from tests.benchmarks.report import Section, ms, seconds, times
from tests.benchmarks.samples import JOB_END_MS, START_MS
from tests.benchmarks.sizes import FOR_EVER, with_node, write_node

VIEWS = ("total", "gpu", "utilization", "feed")


def node_with_job(engine: Engine, folder: Path) -> tuple[Stores, str]:
    """The node, its readings, its minutes, and a job that held it all the time."""
    stores = open_stores(Settings(data_dir=folder), lambda: JOB_END_MS + 3_600_000, engine)
    feeds = tuple(f"pdu/outlet/{i}" for i in range(6))
    stores.facility.upsert(
        [Rack(key="r"), Device(key="pdu", rack="r"), Device(key="n1-exporter", kind="exporter", node="n1"),
         Node(key="n1", rack="r", feeds=feeds)]
    )  # fmt: skip
    write_node(engine)
    seal(engine, FOR_EVER)
    while refresh_minutes(stores, "bench"):
        pass
    job = Job(name="train", start_ms=START_MS, end_ms=JOB_END_MS, nodes=(JobNode(node="n1"),))
    return stores, stores.jobs.create(job)


def figures(stores: Stores, id_: str) -> None:
    """What the job page and its table need: every curve in 2,000 points, energy, mean, median, maximum."""
    job = stores.jobs.get(id_)
    assert job is not None
    power = job_power(stores, job)
    for view in VIEWS:
        drawn(power, view, 2000)  # type: ignore[arg-type]
    for part in power.parts:
        for curve in (
            part.power.total,
            *part.power.feeds.values(),
            *part.gpus.values(),
            *part.gpu_utilization.values(),
        ):
            energy_j(curve, power.start_ms, power.end_ms)
            statistics(curve, power.start_ms, power.end_ms)


def over_api(address: str, id_: str) -> dict[str, float]:
    """Seconds for the figures of the job, its own curve, and all 22 curves."""
    with httpx.Client(base_url=address, timeout=60) as client:

        def ask(path: str) -> None:
            client.get(f"/api/v1/jobs/{id_}{path}").raise_for_status()

        paths = {
            "figures": "",
            "total": "/curve?view=total&max_points=2000",
            "curves": "/curve?view=gpu&view=utilization&view=feed&max_points=2000",
        }
        ask("")
        return {name: seconds(lambda path=path: ask(path), 7) for name, path in paths.items()}  # type: ignore[misc]


def run(bench: Bench) -> list[Section]:
    """In process, through the API, and the same questions to others."""
    section = Section(
        "A job of 26 h: every curve, energy, median and maximum",
        ("", "in process", "through the API", "curves", "energy", "median", "maximum"),
    )
    section.notes.append(
        "22 series, 1.55 M samples; curves keep every peak (2,000 points per series). Wattline answers exactly "
        "(time-weighted quantiles, gaps kept) from sealed chunks. In process everything is recomputed; through the "
        "API the figures of an ended job are those stored when it ended. Medians of five to nine."
    )
    with bench.sqlite() as engine:
        stores, id_ = node_with_job(engine, bench.new_folder())
        process_s = seconds(lambda: figures(stores, id_), 9)
        with served(engine) as address:
            api = over_api(address, id_)
    ours = api["curves"] + api["figures"]
    section.add(
        "Wattline", ms(process_s), ms(ours), ms(api["curves"]), ms(api["figures"]), "with energy", "with energy"
    )
    section.add("Wattline, the curve of the whole job alone", "", ms(api["total"]), ms(api["total"]))
    for peer in (VictoriaMetrics, Prometheus):
        if not peer.is_installed() or (bench.quick and peer is Prometheus):
            continue
        store, _ = with_node(bench, peer)
        with store.serving() as address:
            found = job_queries(address, START_MS // 1000, JOB_END_MS // 1000, victoria=store.is_victoria)
        theirs = sum(found.values())
        section.add(store.name, "", ms(theirs) + times(theirs, ours), *(ms(one) for one in found.values()))
    return [section]
