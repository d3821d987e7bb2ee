"""Slurm's own words, by hand; times were written down from `date -u -d …`. Recordings: Slurm 22.05.8."""

import json

import pytest

from app.errors import Invalid
from app.importers.slurm.jobs import read_slurm
from app.importers.slurm.nodes import expand
from app.importers.slurm.tres import Gpus, gpus_of, read_gres, read_tres
from app.importers.tables.times import zone

UTC, BERLIN = zone("UTC"), zone("Europe/Berlin")
HEADING = "JobID|JobIDRaw|Cluster|State|Submit|Start|End|ElapsedRaw|AllocCPUS|AllocTRES|NodeList|User|Account|JobName"
T0 = 1_795_240_812


def lines(*rows, heading=HEADING):
    return "\n".join([heading, *rows, ""])


def row(job="7", raw="", state="COMPLETED", submit=T0, start=T0 + 1, end=T0 + 61, elapsed="", nodes="n01", **more):
    values = {"tres": "cpu=2,node=1", "cpus": "2", "name": "train"} | more
    return (
        f"{job}|{raw or job}|tiny|{state}|{submit}|{start}|{end}|{elapsed}|{values['cpus']}|{values['tres']}|{nodes}"
        f"|ada|physics|{values['name']}"
    )


def only(text, tz=UTC, columns=()):
    read = read_slurm(text, tz, columns)
    assert read.skipped == ()
    (job,) = read.jobs
    return job


def why(text, tz=UTC):
    read = read_slurm(text, tz)
    assert read.jobs == ()
    (skipped,) = read.skipped
    return skipped.why


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n[01-04,07]", ["n01", "n02", "n03", "n04", "n07"]),
        ("n[098-101]", ["n098", "n099", "n100", "n101"]),
        ("n[8-11]", ["n8", "n9", "n10", "n11"]),
        ("r[1-2]c[3-4]x", ["r1c3x", "r1c4x", "r2c3x", "r2c4x"]),
        ("login,gpu-a[1,3],hgx-02", ["login", "gpu-a1", "gpu-a3", "hgx-02"]),
        ("None assigned", []),
        ("(null)", []),
    ],
)
def test_node_lists(text, names):
    assert list(expand(text)) == names


@pytest.mark.parametrize("text", ["n[1-", "n[1-2]]", "n[a-b]", "n[5-2]", "n[1-999999]", "a,,b", "n[]", "a b"])
def test_what_is_no_node_list_is_refused(text):
    with pytest.raises(Invalid, match="node list"):
        expand(text)


def test_resources():
    tres = read_tres("billing=80,cpu=8,energy=1439089,gres/gpu:a100=8,gres/gpu=8,mem=320G,node=1")
    assert (tres["cpu"], tres["energy"], tres["mem"]) == (8, 1_439_089, 320 * 2**30)
    assert gpus_of(tres) == Gpus(8, "a100")
    assert gpus_of(read_tres("gres/gpu:a100=1,gres/gpu:h100=2,gres/gpu=3")) == Gpus(3, None)
    assert read_tres("energy=18446744073709551614,cpu=1") == {"cpu": 1}  # NO_VAL64


@pytest.mark.parametrize(
    ("text", "gpus"),
    [
        ("gpu:a100:1(IDX:0)", Gpus(1, "a100", (0,))),
        ("gpu:V100:2(IDX:0-1)", Gpus(2, "V100", (0, 1))),
        ("gpu:3(IDX:0,2-3)", Gpus(3, None, (0, 2, 3))),
        ("gpu:h100:2(IDX:0-1),gpu:h200:4(IDX:2-5)", Gpus(6, None, (0, 1, 2, 3, 4, 5))),
        ("gpu:2", Gpus(2)),
        ("gpu:V100:0(IDX:N/A)", Gpus(0, "V100", ())),
        ("craynetwork:1", Gpus()),
    ],
)
def test_generic_resources(text, gpus):
    assert read_gres(text) == gpus


def test_a_line_of_sacct():
    job = only(lines(row(nodes="n[01-02]", cpus="4", tres="cpu=4,gres/gpu:a100=2,gres/gpu=2,node=2")))
    assert (job.job_id, job.cluster, job.user, job.account, job.name) == ("7", "tiny", "ada", "physics", "train")
    assert (job.submit_ms, job.start_ms, job.end_ms) == (T0 * 1000, (T0 + 1) * 1000, (T0 + 61) * 1000)
    assert [(held.share.node, held.share.cores, held.share.gpus) for held in job.held] == [
        ("n01", 2, Gpus(1, "a100")),
        ("n02", 2, Gpus(1, "a100")),
    ]
    assert job.tags == {"slurm_gpus": "2", "slurm_gpu_type": "a100"}


def test_cores_that_do_not_divide_evenly_are_not_known_per_node():
    job = only(lines(row(nodes="n[01-02]", cpus="5")))
    assert [held.share.cores for held in job.held] == [None, None]


def test_a_name_may_hold_the_mark_that_divides():
    assert only(lines(row(name="a|b|c"))).name == "a|b|c"


def test_lines_without_a_heading_are_read_by_the_names_of_their_columns():
    job = only(row(), columns=HEADING.split("|"))
    assert job.job_id == "7"


def test_lines_without_a_heading_or_without_a_column_are_refused():
    with pytest.raises(Invalid, match="jobid, start, end, state, nodelist"):
        read_slurm(row(), UTC)
    with pytest.raises(Invalid, match="column nodelist missing"):
        read_slurm("JobID|Start|End|State\n1|2|3|COMPLETED\n", UTC)


@pytest.mark.parametrize("text", ["", "\n", "No jobs in the system\n", HEADING, '{"jobs": []}'])
def test_no_jobs(text):
    assert read_slurm(text, UTC).jobs == ()


@pytest.mark.parametrize("text", ["hello", '{"nodes": []}', "{", "[1]", '{"jobs": [1]}'])
def test_what_is_not_slurms_is_refused(text):
    with pytest.raises(Invalid):
        read_slurm(text, UTC)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"state": "PENDING", "start": "Unknown", "end": "Unknown", "nodes": "None assigned"}, "pending"),
        ({"state": "CANCELLED by 5", "start": "None", "nodes": "None assigned"}, "never started"),
        ({"state": "CANCELLED", "nodes": "None assigned"}, "no node was assigned"),
        ({"end": "Unknown"}, "its end is not known"),
        ({"end": T0 + 1}, "it ran for no time"),
        ({"end": T0}, "ends before it starts"),
        ({"nodes": "n[1-"}, "brackets do not match"),
        ({"start": "soon"}, "'soon' is no time"),
    ],
)
def test_jobs_that_are_left_out_and_why(given, reason):
    assert reason in why(lines(row(**given)))


@pytest.mark.parametrize("state", ["RUNNING", "SUSPENDED", "COMPLETING"])
def test_a_job_that_runs_has_no_end(state):
    job = only(lines(row(state=state, end="Unknown")))
    assert (job.end_ms, job.state) == (None, state.lower())


def test_a_task_of_an_array_is_a_job_of_its_own():
    first, second = read_slurm(lines(row("5_1", raw="6"), row("5_2", raw="5")), UTC).jobs
    assert (first.job_id, first.raw_ids, first.tags) == ("5_1", ("6",), {"slurm_job_id": "6", "slurm_array": "5"})
    assert (second.job_id, second.raw_ids) == ("5_2", ("5",))


def test_runs_of_a_requeued_job_differ_in_their_submit_time():
    requeued = row(state="REQUEUED"), row(submit=T0 + 70, start=T0 + 100, end=T0 + 200)
    first, second = read_slurm(lines(*requeued), UTC).jobs
    assert (first.job_id, second.job_id) == ("7", "7")
    assert (first.submit_ms, second.submit_ms) == (T0 * 1000, (T0 + 70) * 1000)
    assert (first.state, second.state) == ("requeued", "completed")


def test_components_of_a_heterogeneous_job_are_one_job_whose_nodes_keep_their_times():
    parts = row("9+0", "9", nodes="n01"), row("9+1", "10", nodes="g[1-2]", end=T0 + 31, tres="cpu=2,gres/gpu=2")
    job = only(lines(*parts))
    assert (job.job_id, job.raw_ids, job.start_ms, job.end_ms) == ("9", ("9", "10"), (T0 + 1) * 1000, (T0 + 61) * 1000)
    assert [(held.share.node, held.end_ms) for held in job.held] == [
        ("n01", (T0 + 61) * 1000),
        ("g1", (T0 + 31) * 1000),
        ("g2", (T0 + 31) * 1000),
    ]
    assert job.tags["slurm_het_parts"] == "2"


def test_a_component_that_fails_or_runs_is_what_the_job_is():
    assert only(lines(row("9+0", nodes="a"), row("9+1", state="FAILED", nodes="b"))).state == "failed"
    job = only(lines(row("9+0", nodes="a"), row("9+1", state="RUNNING", end="Unknown", nodes="b")))
    assert (job.state, job.end_ms) == ("running", None)


def test_components_on_one_node_are_added_up_while_both_run():
    job = only(lines(row("9+0", cpus="2"), row("9+1", cpus="3", end=T0 + 31)))
    assert [(held.share.cores, held.start_ms, held.end_ms) for held in job.held] == [
        (5, (T0 + 1) * 1000, (T0 + 31) * 1000),
        (2, (T0 + 31) * 1000, (T0 + 61) * 1000),
    ]


def test_a_requeued_heterogeneous_job_is_two_runs():
    again = {"submit": T0 + 70, "start": T0 + 80, "end": T0 + 90}
    rows = row("9+0", nodes="a"), row("9+1", nodes="b"), row("9+0", nodes="a", **again), row("9+1", nodes="b", **again)
    assert [len(job.held) for job in read_slurm(lines(*rows), UTC).jobs] == [2, 2]


def test_suspended_time_and_consumed_energy_become_tags():
    heading = "JobID|State|Start|End|NodeList|Suspended|ConsumedEnergyRaw"
    job = only(lines(f"7|COMPLETED|{T0}|{T0 + 99}|n01|1-02:03:04|3600000", heading=heading))
    assert job.tags == {"slurm_suspended_s": "93784", "slurm_consumed_energy_j": "3600000"}


@pytest.mark.parametrize(
    ("steps", "energy"),
    [
        (("7.batch|100", "7.0|200"), "300"),
        (("7.batch|100", "7.extern|250", "7.0|200"), "250"),
        (("7.batch|0", "7.0|"), None),
        (("7.batch|18446744073709551614",), None),
    ],
)
def test_energy_of_the_steps_counts_where_the_job_has_none(steps, energy):
    heading = "JobID|State|Start|End|NodeList|ConsumedEnergyRaw"
    rows = [f"7|COMPLETED|{T0}|{T0 + 99}|n01|"]
    rows += ["|".join([s.split("|")[0], "COMPLETED", str(T0), str(T0 + 99), "n01", s.split("|")[1]]) for s in steps]
    assert only(lines(*rows, heading=heading)).tags.get("slurm_consumed_energy_j") == energy


def test_energy_that_is_shown_with_a_suffix_counts_thousands():
    heading = "JobID|State|Start|End|NodeList|ConsumedEnergy"
    job = only(lines(f"7|COMPLETED|{T0}|{T0 + 99}|n01|1.44M", heading=heading))
    assert job.tags["slurm_consumed_energy_j"] == "1440000"


# Europe/Berlin: 2025-10-26 03:00 CEST goes back to 02:00 CET; 2026-03-29 02:00 CET jumps to 03:00 CEST.


def autumn(*times, elapsed=""):
    return lines(row(submit=times[0], start=times[1], end=times[2], elapsed=elapsed))


def test_local_times_across_midnight_and_across_a_change_of_the_clock():
    job = only(autumn("2025-10-25T23:30:00", "2025-10-25T23:59:00", "2025-10-26T06:00:00"), BERLIN)
    assert job.start_ms == 1_761_429_540_000  # 2025-10-25T21:59:00Z
    assert job.end_ms == 1_761_454_800_000  # 2025-10-26T05:00:00Z: it held its nodes for 7 h 01 min
    job = only(autumn("2026-03-28T22:00:00", "2026-03-28T23:00:00", "2026-03-29T04:00:00"), BERLIN)
    assert (job.end_ms - job.start_ms) == 4 * 3_600_000


@pytest.mark.parametrize(("elapsed", "end_ms"), [("3600", 1_761_438_600_000), ("7200", 1_761_442_200_000)])
def test_in_the_doubled_hour_the_elapsed_time_tells_which(elapsed, end_ms):
    """01:30 CEST + 1 h is the first 02:30 (00:30Z), + 2 h the second (01:30Z)."""
    text = autumn("2025-10-26T01:00:00", "2025-10-26T01:30:00", "2025-10-26T02:30:00", elapsed=elapsed)
    assert only(text, BERLIN).end_ms == end_ms


def test_in_the_doubled_hour_the_order_of_a_jobs_own_times_tells_which():
    """Submitted at 02:40 and started at 02:10: the first and the second."""
    job = only(autumn("2025-10-26T02:40:00", "2025-10-26T02:10:00", "2025-10-26T04:00:00"), BERLIN)
    assert job.submit_ms == 1_761_439_200_000  # 00:40Z
    assert job.start_ms == 1_761_441_000_000  # 01:10Z


def test_in_the_doubled_hour_what_nothing_settles_is_left_out():
    text = autumn("2025-10-26T02:10:00", "2025-10-26T02:20:00", "2025-10-26T02:30:00", elapsed="600")
    assert "occurs twice" in why(text, BERLIN)


def test_two_passes_of_submit_times_through_the_doubled_hour_tell_the_second_one():
    """A job of the second pass can only have started in it; one of the first may have waited for an hour."""
    clock = ["01:40", "02:00", "02:20", "02:40", "02:00", "02:20", "02:40", "03:00"]
    rows = [
        row(str(at), submit=f"2025-10-26T{c}:00", start=f"2025-10-26T{c}:00", end=f"2025-10-26T{c}:30", elapsed="30")
        for at, c in enumerate(clock)
    ]
    read = read_slurm(lines(*rows), BERLIN)
    first = 1_761_435_600_000  # 01:40 CEST is 2025-10-25T23:40Z
    assert {job.job_id: job.start_ms for job in read.jobs} == {
        "0": first,
        "4": first + 4 * 1_200_000,
        "5": first + 5 * 1_200_000,
        "6": first + 6 * 1_200_000,
        "7": first + 7 * 1_200_000,
    }
    assert [skipped.job for skipped in read.skipped] == ["1", "2", "3"]


def test_a_local_time_that_does_not_exist_is_left_out():
    text = autumn("2026-03-29T01:00:00", "2026-03-29T02:30:00", "2026-03-29T04:00:00")
    assert "does not exist in Europe/Berlin" in why(text, BERLIN)


def test_times_with_an_offset_or_since_the_epoch_need_no_zone():
    job = only(autumn("2023-02-21T15:48:20+0100", "1676990946", "2023-02-21T14:57:23Z"), BERLIN)
    assert (job.submit_ms, job.start_ms, job.end_ms) == (1_676_990_900_000, 1_676_990_946_000, 1_676_991_443_000)


def number(value):
    return {"set": value is not None, "infinite": False, "number": value or 0}


def accounted(state, wrap, **more):
    """A job as data_parsers write it: numbers plain or wrapped, the state a word or a list."""
    none = {"type": "energy", "name": "", "id": 3, "count": -2}
    gpu = {"type": "gres", "name": "gpu", "id": 1001, "count": 2}
    return {
        "account": "physics",
        "array": {"job_id": 40, "task_id": wrap(0)},
        "association": {"account": "physics", "user": "ada"},
        "cluster": "tiny",
        "het": {"job_id": 0, "job_offset": wrap(None)},
        "job_id": 41,
        "name": "train",
        "nodes": "n[01-02]",
        "partition": "main",
        "state": {"current": state, "reason": "None"},
        "steps": [
            {"step": {"id": "41.batch", "name": "batch"}, "statistics": {"energy": {"consumed": wrap(700)}}},
            {"step": {"id": "41.0", "name": "srun"}, "statistics": {"energy": {"consumed": wrap(50)}}},
        ],
        "time": {"start": T0 + 1, "end": T0 + 61, "submission": T0, "suspended": 5, "elapsed": 55},
        "tres": {"allocated": [{"type": "cpu", "name": "", "id": 1, "count": 8}, none, gpu]},
        "user": "ada",
    } | more


@pytest.mark.parametrize(
    ("state", "wrap"),
    [("COMPLETED", lambda value: value), (["COMPLETED"], number)],
    ids=["up to v0.0.39", "since v0.0.40"],
)
def test_json_of_every_data_parser(state, wrap):
    job = only(json.dumps({"meta": {}, "jobs": [accounted(state, wrap)]}))
    assert (job.job_id, job.raw_ids, job.state) == ("40_0", ("41",), "completed")
    assert (job.submit_ms, job.start_ms, job.end_ms) == (T0 * 1000, (T0 + 1) * 1000, (T0 + 61) * 1000)
    assert [(held.share.node, held.share.cores, held.share.gpus.count) for held in job.held] == [
        ("n01", 4, 1),
        ("n02", 4, 1),
    ]
    assert job.tags == {
        "slurm_job_id": "41",
        "slurm_array": "40",
        "slurm_gpus": "2",
        "slurm_suspended_s": "5",
        "slurm_consumed_energy_j": "750",
    }


def test_an_error_that_slurm_tells_beside_no_jobs_is_reported():
    """Recorded from sacct 22.05.8, which ends with 0."""
    error = {"error_number": 9000, "error": "Query empty or not RFC7320 compliant", "source": "start_time"}
    with pytest.raises(Invalid, match="Slurm reports: Query empty or not RFC7320 compliant"):
        read_slurm(json.dumps({"meta": {}, "errors": [error]}), UTC)


def test_that_nothing_was_found_is_no_error():
    error = {"error_number": 9003, "error": "Nothing found with query", "source": "slurmdb_jobs_get"}
    assert read_slurm(json.dumps({"meta": {}, "errors": [error], "jobs": []}), UTC).jobs == ()


def test_json_of_a_heterogeneous_job():
    parts = [
        accounted(
            ["COMPLETED"], number, job_id=50 + at, array={}, het={"job_id": 50, "job_offset": number(at)}, nodes=n
        )
        for at, n in enumerate(["n01", "g1"])
    ]
    job = only(json.dumps({"jobs": parts}))
    assert (job.job_id, job.raw_ids, len(job.held)) == ("50", ("50", "51"), 2)


SCONTROL = """\
JobId=6 ArrayJobId=5 ArrayTaskId=1 JobName=a name UserId=root(0)
   UserId=nobody(65534) GroupId=root(0) MCS_label=N/A
   Priority=4294901756 Nice=0 Account=chem QOS=normal
   JobState=RUNNING Reason=None Dependency=(null)
   SubmitTime=1795240812 EligibleTime=1795240812
   StartTime=1795240813 EndTime=Unknown Deadline=N/A
   Partition=main AllocNode:Sid=localhost:7478
   NodeList=n[01-03]
   NumNodes=3 NumCPUs=4 NumTasks=2 CPUs/Task=1 ReqB:S:C:T=0:0:*:*
   TRES=cpu=4,node=3,billing=2,gres/gpu=2,gres/gpu:a100=2
   JOB_GRES=gpu:a100:2
     Nodes=n01 CPU_IDs=1 Mem=0 GRES=gpu:a100:1(IDX:1)
     Nodes=n02 CPU_IDs=0,3 Mem=0 GRES=gpu:a100:1(IDX:0)
     Nodes=n03 CPU_IDs=3 Mem=0 GRES=
   OverSubscribe=NO Contiguous=0 Licenses=(null) Network=(null)
   Command=/tmp/x StartTime=1

"""


def test_scontrol_tells_which_gpus_and_cores_of_each_node():
    job = only(SCONTROL)
    assert (job.job_id, job.raw_ids, job.name) == ("5_1", ("6",), "a name UserId=root(0)")
    assert (job.user, job.account, job.partition, job.state) == ("nobody", "chem", "main", "running")
    assert (job.start_ms, job.end_ms) == (1_795_240_813_000, None)
    assert [(h.share.node, h.share.cores, h.share.gpus.indices, h.share.exclusive) for h in job.held] == [
        ("n01", 1, (1,), True),
        ("n02", 2, (0,), True),
        ("n03", 1, None, True),
    ]
