"""Jobs of Slurm through the interface: what is made of them, what stays, and what a prolog tells ahead."""

import json

import pytest

from app.store.facility import Model, Node
from app.store.jobs.job import JobNode
from tests.checked_client import described

HEADING = "JobID|JobIDRaw|Cluster|State|Submit|Start|End|AllocCPUS|AllocTRES|NodeList|User|Account|JobName"
T0 = 1_795_240_812
PATH = "/api/v1/jobs/slurm"


def row(job="7", raw="", state="COMPLETED", submit=T0, start=T0 + 1, end=T0 + 61, nodes="n1", cpus=2, tres="cpu=2"):
    return f"{job}|{raw or job}|tiny|{state}|{submit}|{start}|{end}|{cpus}|{tres}|{nodes}|ada|physics|train"


def send(client, *rows, query="", heading=HEADING):
    answer = client.post(f"{PATH}?{query}", content="\n".join([heading, *rows, ""]))
    assert answer.status_code == 200, answer.text
    return answer.json()


def counts(report):
    return report["created"], report["changed"], report["unchanged"], len(report["skipped"])


def every_job(client):
    return client.get("/api/v1/jobs?sort=start").json()["items"]


@pytest.fixture
def hall(stores):
    stores.facility.upsert([Model(key="m", gpus=2), *(Node(key=key, model="m") for key in ("n1", "n2", "hpc-n3"))])
    return stores


def test_a_job_is_created_then_unchanged_then_changed(client, hall):
    assert counts(send(client, row(state="RUNNING", end="Unknown"))) == (1, 0, 0, 0)
    assert counts(send(client, row(state="RUNNING", end="Unknown"))) == (0, 0, 1, 0)
    assert counts(send(client, row())) == (0, 1, 0, 0)
    (job,) = every_job(client)
    assert (job["cluster"], job["job_id"], job["user"], job["project"]) == ("tiny", "7", "ada", "physics")
    assert (job["state"], job["name"]) == ("completed", "train")
    assert (job["submit"], job["start"], job["end"]) == (
        "2026-11-21T06:00:12Z",
        "2026-11-21T06:00:13Z",
        "2026-11-21T06:01:13Z",
    )
    assert [(node["node"], node["cores"]) for node in job["nodes"]] == [("n1", 2)]


@pytest.mark.parametrize("kind", ["application/json", "text/plain"])
def test_the_examples_of_the_document_are_brought_in(client, stores, kind):
    """Both are the same job: 2 nodes with 64 cores and 4 GPUs each, 2026-11-20 09:00 to 10:00 UTC."""
    stores.facility.upsert([Node(key="gpu001"), Node(key="gpu002")], effective_ms=0)
    content = described()["paths"][PATH]["post"]["requestBody"]["content"][kind]["example"]
    body = json.dumps(content) if kind == "application/json" else content
    report = client.post(PATH, content=body, headers={"Content-Type": kind}).json()
    assert (report["created"], report["skipped"]) == (1, [])
    (job,) = every_job(client)
    assert (job["cluster"], job["job_id"], job["user"], job["name"]) == ("horeka", "4711", "ada", "resnet-b512")
    assert (job["start"], job["end"]) == ("2026-11-20T09:00:00Z", "2026-11-20T10:00:00Z")
    assert [(node["node"], node["cores"]) for node in job["nodes"]] == [("gpu001", 64), ("gpu002", 64)]


def test_an_older_word_does_not_let_an_ended_job_run_again(client, hall):
    send(client, row())
    assert counts(send(client, row(state="RUNNING", end="Unknown"))) == (0, 0, 1, 0)
    assert every_job(client)[0]["state"] == "completed"


def test_a_dry_run_changes_nothing(client, hall):
    assert counts(send(client, row(), query="dry_run=true")) == (1, 0, 0, 0)
    assert every_job(client) == []
    send(client, row(state="RUNNING", end="Unknown"))
    assert counts(send(client, row(), query="dry_run=true")) == (0, 1, 0, 0)
    assert every_job(client)[0]["end"] is None


def test_unknown_nodes_are_named_and_the_others_come_in(client, hall):
    report = send(client, row("1", nodes="n1"), row("2", nodes="n[1-2],x9"), row("3", nodes="n3"))
    assert counts(report) == (1, 0, 0, 2)
    assert [(item["job"], "'x9'" in item["why"] or "'n3'" in item["why"]) for item in report["skipped"]] == [
        ("2", True),
        ("3", True),
    ]


def test_a_prefix_leads_from_slurms_node_names_to_ours(client, hall):
    assert counts(send(client, row(nodes="n3"), query="node_prefix=hpc-")) == (1, 0, 0, 0)
    assert every_job(client)[0]["nodes"][0]["node"] == "hpc-n3"


def test_the_same_number_of_two_clusters_is_two_jobs(client, hall):
    send(client, row(), query="cluster=a")
    assert counts(send(client, row(), query="cluster=b")) == (1, 0, 0, 0)
    assert {job["cluster"] for job in every_job(client)} == {"a", "b"}


def test_a_requeued_job_is_two_jobs_of_one_number(client, hall):
    report = send(client, row(state="REQUEUED"), row(submit=T0 + 70, start=T0 + 100, end=T0 + 200))
    assert counts(report) == (2, 0, 0, 0)
    assert [(job["job_id"], job["state"]) for job in every_job(client)] == [("7", "requeued"), ("7", "completed")]


def test_without_a_submit_time_two_runs_of_a_number_are_not_mixed_up(client, hall):
    heading = "JobID|State|Start|End|NodeList"
    rows = f"7|COMPLETED|{T0}|{T0 + 9}|n1", f"7|COMPLETED|{T0 + 20}|{T0 + 29}|n1"
    report = send(client, *rows, heading=heading)
    assert counts(report) == (1, 0, 0, 1)
    assert "ask sacct for Submit" in report["skipped"][0]["why"]


def test_what_others_tagged_stays(client, hall):
    send(client, row(state="RUNNING", end="Unknown", tres="cpu=2,energy=0"))
    (job,) = every_job(client)
    client.patch(f"/api/v1/jobs/{job['id']}", json={"tags": {"model": "resnet"}})
    assert counts(send(client, row(tres="cpu=2,energy=7200"))) == (0, 1, 0, 0)
    assert every_job(client)[0]["tags"] == {"model": "resnet", "slurm_consumed_energy_j": "7200"}


def test_gpus_all_of_a_node_some_and_none(client, hall):
    """A node has two: both are known by their indices, one of them is nobody's word, none is none."""
    rows = [row(str(gpus), nodes="n1", tres=f"cpu=2,gres/gpu={gpus}") for gpus in (2, 1)]
    send(client, *rows, row("0"))
    assert {job["job_id"]: job["nodes"][0]["gpus"] for job in every_job(client)} == {"2": [0, 1], "1": None, "0": []}


def test_where_no_job_names_gpus_nothing_is_known_of_them(client, hall):
    send(client, row())
    assert every_job(client)[0]["nodes"][0]["gpus"] is None


def test_nodes_of_a_component_that_is_no_longer_reported_stay(client, hall):
    parts = row("9+0", "9", nodes="n1", state="RUNNING", end="Unknown"), row("9+1", "10", nodes="n2", end=T0 + 31)
    send(client, *parts)
    assert counts(send(client, row("9+0", "9", nodes="n1"))) == (0, 1, 0, 0)
    (job,) = every_job(client)
    assert [(node["node"], node.get("end")) for node in job["nodes"]] == [
        ("n1", None),
        ("n2", "2026-11-21T06:00:43Z"),
    ]
    assert job["end"] == "2026-11-21T06:01:13Z"


def test_a_job_of_another_origin_with_another_start_is_not_touched(client, hall):
    body = {"cluster": "tiny", "job_id": "7", "submit": T0 * 1000, "start": T0 * 1000, "nodes": [{"node": "n1"}]}
    client.post("/api/v1/jobs", json=body)
    report = send(client, row())
    assert counts(report) == (0, 0, 0, 1)
    assert "registered by hand" in report["skipped"][0]["why"]


def test_json_and_a_text_that_is_neither(client, hall):
    gone = {"job_id": 5, "time": {"start": 0, "end": 0}, "state": {"current": "CANCELLED"}}
    assert client.post(PATH, content=json.dumps({"jobs": [gone]})).json()["skipped"][0]["job"] == "5"
    answer = client.post(PATH, content=b"hello")
    assert (answer.status_code, answer.json()["code"]) == (422, "no_slurm_jobs")
    assert client.post(f"{PATH}?tz=Mars/Base", content=row()).json()["code"] == "unknown_zone"


def test_a_job_whose_name_no_database_holds_is_skipped(client, hall):
    job = {
        "job_id": 5,
        "name": "a\0b",
        "nodes": "n1",
        "time": {"start": T0, "end": T0 + 9, "submission": T0},
        "state": {"current": ["COMPLETED"]},
    }
    report = client.post(PATH, content=json.dumps({"jobs": [job]})).json()
    assert counts(report) == (0, 0, 0, 1)
    assert "NUL" in report["skipped"][0]["why"]


SCONTROL = f"""\
JobId=7 JobName=train
   UserId=ada(5) GroupId=root(0) MCS_label=N/A
   Priority=1 Nice=0 Account=physics QOS=normal
   JobState=RUNNING Reason=None Dependency=(null)
   SubmitTime={T0} EligibleTime={T0}
   StartTime={T0 + 1} EndTime=Unknown Deadline=N/A
   NodeList=n[1-2]
   TRES=cpu=4,node=2,gres/gpu=2
     Nodes=n1 CPU_IDs=0-2 Mem=0 GRES=gpu:1(IDX:1)
     Nodes=n2 CPU_IDs=0 Mem=0 GRES=gpu:1(IDX:0)
   OverSubscribe=OK Contiguous=0
"""


@pytest.mark.parametrize("accounting_first", [True, False])
def test_how_the_controller_divided_a_job_is_above_an_even_division(client, hall, accounting_first):
    sacct = row(state="RUNNING", end="Unknown", nodes="n[1-2]", cpus=4, tres="cpu=4,gres/gpu=2")
    if accounting_first:
        send(client, sacct, query="cluster=tiny")
    client.post(f"{PATH}?cluster=tiny", content=SCONTROL)
    assert counts(send(client, sacct, query="cluster=tiny")) == (0, 0, 1, 0)
    ended = row(nodes="n[1-2]", cpus=4, tres="cpu=4,gres/gpu=2")
    send(client, ended, query="cluster=tiny")
    (job,) = every_job(client)
    assert job["state"] == "completed"
    assert [(node["node"], node["cores"], node["gpus"]) for node in job["nodes"]] == [("n1", 3, [1]), ("n2", 1, [0])]


def prolog(client, **told):
    return client.post(f"{PATH}/prolog", params={"cluster": "tiny", "job_id": "7", "start": T0 * 1000} | told)


def epilog(client, **told):
    return client.post(f"{PATH}/epilog", params={"cluster": "tiny", "job_id": "7", "end": (T0 + 60) * 1000} | told)


BOTH = {"nodelist": "n[1-2]", "cpus_per_node": "4,2", "user": "ada", "account": "physics"}


def test_prologs_of_all_nodes_make_one_job_and_their_epilogs_end_it(client, hall):
    assert prolog(client, node="n1", gpus="GPU-aa,GPU-bb", **BOTH).status_code == 201
    assert prolog(client, node="n2", gpus="1", start=(T0 + 1) * 1000, **BOTH).status_code == 200
    (job,) = every_job(client)
    assert (job["user"], job["project"], job["state"]) == ("ada", "physics", "running")
    assert sorted((node["node"], node["cores"], node["gpus"]) for node in job["nodes"]) == [
        ("n1", 4, ["GPU-aa", "GPU-bb"]),
        ("n2", 2, [1]),
    ]
    assert epilog(client, node="n2", end=(T0 + 50) * 1000, exit_code=0).json()["end"] is None
    ended = epilog(client, node="n1", exit_code=0).json()
    assert (ended["end"], ended["state"]) == ("2026-11-21T06:01:12Z", "completed")


def test_an_epilog_without_a_status_ends_the_job_and_says_no_more(client, hall):
    prolog(client, node="n1", user="ada", nodelist="n1")
    ended = epilog(client, node="n1").json()
    assert (ended["end"], ended["state"]) == ("2026-11-21T06:01:12Z", None)


def test_accounting_takes_over_what_a_prolog_reported(client, hall):
    """Times, submit and number become accounting's; the UUIDs stay; nothing is there twice."""
    prolog(client, node="n1", job_id="12", gpus="GPU-aa")
    told = row("11_3", "12", state="RUNNING", start=T0 - 2, end="Unknown", tres="cpu=2,gres/gpu=1")
    assert counts(send(client, told)) == (0, 1, 0, 0)
    (job,) = every_job(client)
    assert (job["job_id"], job["start"], job["tags"]["slurm_job_id"]) == ("11_3", "2026-11-21T06:00:10Z", "12")
    assert (job["nodes"][0]["gpus"], job["nodes"][0]["cores"]) == (["GPU-aa"], 2)
    assert epilog(client, node="n1", job_id="12").status_code == 200  # it still finds it; accounting will end it
    assert counts(send(client, row("11_3", "12", start=T0 - 2, tres="cpu=2,gres/gpu=1"))) == (0, 1, 0, 0)
    (job,) = every_job(client)
    assert (job["end"], job["nodes"][0]["gpus"]) == ("2026-11-21T06:01:13Z", ["GPU-aa"])
    assert "end" not in job["nodes"][0]


def test_prologs_of_the_components_of_one_job_become_one(client, hall):
    prolog(client, node="n1", job_id="9", gpus="0")
    prolog(client, node="n2", job_id="10", gpus="1")
    send(client, row("9+0", "9", nodes="n1"), row("9+1", "10", nodes="n2"))
    (job,) = every_job(client)
    assert [(node["node"], node["gpus"]) for node in job["nodes"]] == [("n1", [0]), ("n2", [1])]


def test_a_requeued_job_starts_over_at_its_prolog(client, hall):
    prolog(client, node="n1")
    epilog(client, node="n1", exit_code=1)
    assert prolog(client, node="n1", start=(T0 + 100) * 1000, restart=1).status_code == 201
    assert prolog(client, node="n1", start=(T0 + 100) * 1000, restart=1).status_code == 200
    epilog(client, node="n1", end=(T0 + 160) * 1000, exit_code=0)
    assert [job["state"] for job in every_job(client)] == ["failed", "completed"]
    first = row(state="REQUEUED", end=T0 + 60), row(submit=T0 + 70, start=T0 + 100, end=T0 + 160)
    assert counts(send(client, *first)) == (0, 2, 0, 0)
    assert [(job["submit"], job["state"]) for job in every_job(client)] == [
        ("2026-11-21T06:00:12Z", "requeued"),
        ("2026-11-21T06:01:22Z", "completed"),
    ]


def test_a_run_that_accounting_took_over_and_a_node_let_go_is_not_the_next_one(client, hall):
    """The job is requeued before accounting told the end of its first run."""
    prolog(client, node="n1")
    send(client, row(state="RUNNING", end="Unknown"))
    epilog(client, node="n1")
    assert prolog(client, node="n1", start=(T0 + 100) * 1000, restart=1, gpus="1").status_code == 201
    runs = row(state="REQUEUED"), row(submit=T0 + 70, start=T0 + 100, end=T0 + 160)
    assert counts(send(client, *runs)) == (0, 2, 0, 0)
    assert [(job["state"], job["nodes"][0]["gpus"], job["end"]) for job in every_job(client)] == [
        ("requeued", None, "2026-11-21T06:01:13Z"),
        ("completed", [1], "2026-11-21T06:02:52Z"),
    ]


def test_an_epilog_without_its_prolog_and_a_node_that_is_not_ours(client, hall):
    assert epilog(client, node="n1").status_code == 404
    answer = prolog(client, node="x9")
    assert (answer.status_code, "'x9'" in answer.json()["detail"]) == (422, True)
    assert every_job(client) == []


def test_a_new_job_gives_those_beside_it_another_share(client, hall):
    """Figures of a job that ended are computed anew when a job is told that shared its node."""
    send(client, row("1"))
    (job,) = every_job(client)
    before = client.get(f"/api/v1/jobs/{job['id']}").json()["summary"]["computed_at"]
    hall.now_ms.now += 1000
    send(client, row("2"))
    after = client.get(f"/api/v1/jobs/{job['id']}").json()["summary"]["computed_at"]
    assert after > before
    assert hall.jobs.overlapping("n1", T0 * 1000, (T0 + 90) * 1000)[0].nodes == (JobNode("n1", None, 2),)
