"""Real and recorded words of Slurm, from 2016 to 23.11, read in place. What a file says twice must agree."""

import csv
import json
from collections import Counter

import pytest

from app.errors import Invalid
from app.importers.slurm.jobs import read_slurm
from app.importers.slurm.nodes import expand
from app.importers.slurm.tres import read_gres
from app.importers.tables.times import zone
from tests.conformance.captures import capture

UTC = zone("UTC")
pytestmark = pytest.mark.conformance
XDMOD = (
    "jobid jobidraw cluster partition qos account group gid user uid submit eligible start end elapsed exitcode state "
    "nnodes ncpus reqcpus reqmem reqtres alloctres timelimit nodelist jobname"
)
CEEMS = (
    "jobid partition qos account group gid user uid submit start end elapsed elapsedraw exitcode state alloctres "
    "nodelist jobname workdir"
)


def text_of(*parts):
    return capture("/".join(["slurm", *parts])).read_text("utf-8")


def seconds(elapsed):
    days, _, clock = elapsed.rpartition("-")
    hours, minutes, rest = clock.split(":")
    return ((int(days or 0) * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(rest)


def test_every_real_row_of_sacct():
    """4,285 rows of a cluster, 2016/17: elapsed, node count and CPU count of each row must be what we make of it."""
    text = text_of("xdmod_sacct", "phillips.log")
    rows = {row["jobid"]: row for row in csv.DictReader(text.splitlines(), XDMOD.split(), delimiter="|")}
    read = read_slurm(text, zone("America/New_York"), XDMOD.split())
    assert len(rows) == 4285
    assert (len(read.jobs), len(read.skipped)) == (4024, 261)
    assert {rows[skipped.job]["elapsed"] for skipped in read.skipped} == {"00:00:00"}
    assert {skipped.why for skipped in read.skipped} == {"it ran for no time"}
    for job in read.jobs:
        row = rows[job.job_id]
        assert (job.end_ms - job.start_ms) == 1000 * seconds(row["elapsed"])
        assert len(job.held) == int(row["nnodes"])
        assert sum(held.share.cores for held in job.held) == int(row["ncpus"])
        assert (job.user, job.account, job.partition) == (row["user"], row["account"], row["partition"])
    states = Counter(row["state"].split()[0].lower() for row in rows.values() if row["elapsed"] != "00:00:00")
    assert Counter(job.state for job in read.jobs) == states


def test_the_first_real_rows():
    jobs = {job.job_id: job for job in read_slurm(text_of("xdmod_sacct", "phillips.log"), UTC, XDMOD.split()).jobs}
    job = jobs["163485"]
    assert (job.cluster, job.user, job.account, job.state) == ("phillips", "noror", "chaff", "cancelled")
    assert (job.start_ms, job.end_ms) == (1_482_390_913_000, 1_483_303_339_000)  # read as UTC
    assert [(held.share.node, held.share.cores, held.share.gpus.count) for held in job.held] == [("cpn-f11-31", 12, 2)]
    assert [held.share.node for held in jobs["165381"].held] == [
        f"cpn-f13-{rack}-{place}" for rack in ("03", "04", "05", "06") for place in ("01", "02")
    ]


def test_sacct_of_ceems_with_offsets_and_energy():
    read = read_slurm(text_of("ceems", "sacct").split('"""')[1], UTC, CEEMS.split())
    assert read.skipped == ()
    jobs = {job.job_id: job for job in read.jobs}
    assert len(jobs) == 12
    assert jobs["1479763"].start_ms == 1_645_450_627_000  # 2022-02-21T14:37:07+0100
    assert jobs["1479763"].tags == {"slurm_gpus": "8", "slurm_consumed_energy_j": "1439089"}
    assert jobs["2009248"].end_ms is jobs["3009248"].end_ms is None
    assert [held.share.cores for held in jobs["1481508"].held] == [None] * 3  # 16 CPUs on "2" nodes that are three


def test_jobs_of_slurmrestd_22_05():
    read = read_slurm(text_of("telegraf_slurmrestd", "responses", "jobs.json"), UTC)
    jobs = {job.job_id: job for job in read.jobs}
    assert (len(jobs), read.skipped) == (3, ())
    assert (jobs["20464"].user, jobs["20464"].start_ms, jobs["20464"].end_ms) == ("atl001", 1_722_989_851_000, None)
    assert [(held.share.node, held.share.cores) for held in jobs["20464"].held] == [("naboo222", 2)]


def test_jobs_of_slurmrestd_23_11_with_wrapped_numbers():
    read = read_slurm(text_of("lcrownover", "V0040OpenapiJobInfoResp.json"), UTC)
    (job,) = read.jobs
    assert (job.job_id, job.raw_ids, job.cluster, job.user) == ("7725337_411", ("7745162",), "talapas", "rdennis")
    assert (job.submit_ms, job.start_ms, job.end_ms) == (1_722_268_317_000, 1_722_274_361_000, None)
    assert [(skipped.job, skipped.why) for skipped in read.skipped] == [("7725337", "pending: it has not started")]


def test_every_other_file_is_refused_and_never_read_as_jobs():
    jobs = {"jobs.json", "V0040OpenapiJobInfoResp.json", "phillips.log", "sacct"}
    others = [path for path in capture("slurm").rglob("*") if path.suffix in (".json", ".txt", "") and path.is_file()]
    others = [path for path in others if path.name not in jobs and path.stat().st_size]
    assert len(others) > 30
    for path in others:
        with pytest.raises(Invalid):
            read_slurm(path.read_text("utf-8"), UTC)


def test_node_names_and_lists_of_every_file():
    nodes = json.loads(text_of("lcrownover", "V0040OpenapiPartitionResp.json"))["partitions"]
    for partition in nodes:
        assert len(expand(partition["nodes"]["configured"])) == partition["nodes"]["total"]
    for folder in ("treydock", "vpenso"):
        for name in {line.replace("|", ",").partition(",")[0] for line in text_of(folder, "sinfo.txt").splitlines()}:
            assert expand(name) == ((name,) if name else ())


def test_generic_resources_of_a_real_cluster():
    """`sinfo` prints what a node has and what is used of it; an index for each that is used."""
    told = [line.split() for line in text_of("treydock", "sinfo_gpus.txt").splitlines()]
    used = [read_gres(words[2]) for words in told]
    assert (len(told), sum(gpus.count for gpus in used)) == (22, 13)
    for gpus, words in zip(used, told, strict=True):
        if "IDX:0-1" in words[2]:
            assert (gpus.count, gpus.indices) == (2, (0, 1))
        elif "N/A" in words[2]:
            assert (gpus.count, gpus.indices) == (0, ())
