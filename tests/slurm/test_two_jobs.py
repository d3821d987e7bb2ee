"""A real Slurm runs jobs that share a node; what Wattline tells of them must be what Slurm gave them."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import httpx
import pytest

from app.client.slurm import Watch
from app.server.application import create_app
from app.server.serving import serving
from app.settings import Settings
from app.store.database.engine import migrate, open_engine
from app.store.facility import Model, Node
from tests.paths import ROOT
from tests.slurm.cluster import Cluster, missing

HOOK = ROOT / "app" / "cli" / "slurm" / "slurm_hook.sh"
WRAPPER = "#!/bin/sh\nexport WATTLINE_URL={url} WATTLINE_CLUSTER=tiny WATTLINE_SLURM_ENV=/dev/null\nexec sh {hook}\n"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Short, because sockets lie in it, and open to the users that jobs run as."""
    if why := missing():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"no Slurm here: {why}")
    made = Path(tempfile.mkdtemp(prefix="wl-slurm-", dir="/tmp"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    """Wattline over HTTP; its facility has the two nodes."""
    url = f"sqlite:///{folder / 'wattline.db'}"
    engine = open_engine(url)
    migrate(engine)
    app = create_app(Settings(data_dir=folder, database_url=url), engine=engine)
    nodes = [Node(key=key, model="m") for key in ("n01", "n02")]
    app.state.stores.facility.upsert([Model(key="m", gpus=2, cores=4), *nodes])
    with serving(app) as address:
        yield address
    engine.dispose()


@pytest.fixture(scope="module")
def slurm(folder: Path, server: str) -> Iterator[Cluster]:
    """The cluster, its prolog and epilog the script that we ship."""
    cluster = Cluster(folder, WRAPPER.format(url=server, hook=HOOK))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def jobs_of(server: str) -> dict[str, dict]:
    return {job["job_id"]: job for job in every_job(server)}


def held(job: dict) -> list[tuple]:
    return sorted((node["node"], node["cores"], node["gpus"]) for node in job["nodes"])


def accounted(slurm: Cluster) -> dict[str, dict[str, str]]:
    """What Slurm's own database says, by the number users know."""
    columns = "JobID,State,Submit,Start,End"
    rows = slurm("env", "SLURM_TIME_FORMAT=%s", "sacct", "--allusers", "-X", "-n", "-P", f"--format={columns}").split()
    return {row.split("|")[0]: dict(zip(columns.split(","), row.split("|"), strict=True)) for row in rows}


def test_jobs_that_share_a_node_appear_as_slurm_ran_them(slurm: Cluster, server: str, folder: Path, monkeypatch):
    for name, value in slurm.environment.items():
        monkeypatch.setenv(name, value)
    first = slurm.submit("games", "physics", "-Jfirst", "-wn01", "-n1", "-c2", "--gres=gpu:1", seconds=7)
    slurm.wait(lambda: first in jobs_of(server), "the prolog of the first job")
    second = slurm.submit("nobody", "chem", "-Jsecond", "-N2", "-n2", "-c1", "--gres=gpu:a100:1", seconds=4)
    slurm.wait(lambda: len(held(jobs_of(server).get(second, {"nodes": []}))) == 2, "the prologs of the second job")
    array = slurm.submit("nobody", "chem", "-Jarray", "--array=1-2", "-n1", seconds=1)
    prologs_told_before_accounting(jobs_of(server), first, second)

    say: list[str] = []

    async def rounds() -> None:
        async with httpx.AsyncClient(base_url=server) as client:
            watch = Watch(client, {"cluster": "tiny"}, 1.0, folder / "state.json", 3600, False, say.append)
            await watch.once()
            running = jobs_of(server)
            assert running[first]["end"] is None
            assert running[first]["submit"] is not None
            await asyncio.to_thread(slurm.wait, lambda: ended(slurm) == 4, "accounting of the ends")
            await watch.once()
            assert (await watch.once()).changed == 0
            as_json = Watch(client, {"cluster": "tiny"}, 1.0, folder / "other.json", 3600, True, say.append)
            told = await as_json.once()
            assert (told.created, told.changed) == (0, 0), "JSON says what the lines said"

    asyncio.run(rounds())
    found, truth = jobs_of(server), accounted(slurm)
    assert set(found) == set(truth) == {first, second, f"{array}_1", f"{array}_2"}
    for number, job in found.items():
        assert job["state"] == "completed"
        for name in ("submit", "start", "end"):
            moment = httpx.get(f"{server}/api/v1/jobs/{job['id']}").json()[name]
            assert seconds(moment) == int(truth[number][name.title()])
    assert (found[first]["user"], found[first]["project"], found[first]["name"]) == ("games", "physics", "first")
    assert (found[second]["user"], found[second]["project"], found[second]["partition"]) == ("nobody", "chem", "main")
    assert held(found[first]) == [("n01", 2, [0])]
    assert held(found[second]) == [("n01", 1, [1]), ("n02", 1, [0])]
    assert [node["cores"] for node in found[f"{array}_1"]["nodes"]] == [1]
    assert found[first]["tags"] == {"slurm_gpus": "1", "slurm_gpu_type": "a100"}
    assert seconds(found[second]["start"]) < seconds(found[first]["end"]), "they did share the node"


def test_a_heterogeneous_a_requeued_and_a_suspended_job(slurm: Cluster, server: str, folder: Path, monkeypatch):
    for name, value in slurm.environment.items():
        monkeypatch.setenv(name, value)
    twice = slurm.submit("games", "physics", "-Jtwice", "-wn02", "-n1", "--requeue", seconds=4)
    still = slurm.submit("games", "physics", "-Jstill", "-wn01", "-n1", seconds=2)
    parts = slurm.submit("nobody", "chem", "-Jparts", "-n1", "-c2", "-wn01", ":", "-n1", "-wn02", seconds=2)
    slurm.wait(lambda: runs(slurm, twice) and runs(slurm, still), "the jobs to run")
    slurm("scontrol", "suspend", still)
    asyncio.run(round_of(server, folder))
    slurm("sleep", "2")
    slurm("scontrol", "requeue", twice)
    slurm.wait(lambda: "PENDING" in slurm("squeue", "-h", "-j", twice, "-o", "%T"), "the requeue")
    slurm("sleep", "2")  # the node refuses credentials of the second in which the first run was revoked
    slurm("scontrol", "update", f"JobId={twice}", "StartTime=now")  # it would wait for two minutes
    slurm("scontrol", "resume", still)
    numbers = (twice, still, f"{parts}+0", f"{parts}+1")
    slurm.wait(lambda: {accounted(slurm).get(number, {}).get("State") for number in numbers} == {"COMPLETED"}, "them")
    asyncio.run(round_of(server, folder))

    found = [job for job in every_job(server) if job["job_id"] in (twice, still, parts)]
    assert [job["name"] for job in found].count("twice") == 2
    requeued, again = (job for job in found if job["name"] == "twice")
    assert (requeued["state"], again["state"]) == ("requeued", "completed")
    assert seconds(requeued["end"]) <= seconds(again["submit"]) <= seconds(again["start"])
    (held_up,) = (job for job in found if job["name"] == "still")
    assert int(held_up["tags"]["slurm_suspended_s"]) >= 2
    assert seconds(held_up["end"]) - seconds(held_up["start"]) >= 4
    (whole,) = (job for job in found if job["name"] == "parts")
    assert (whole["tags"]["slurm_het_parts"], whole["user"]) == ("2", "nobody")
    assert [(node, cores) for node, cores, _ in held(whole)] == [("n01", 2), ("n02", 1)]
    assert {job["state"] for job in every_job(server)} == {"completed", "requeued"}, "no prolog is left over"


async def round_of(server: str, folder: Path) -> None:
    async with httpx.AsyncClient(base_url=server) as client:
        await Watch(client, {"cluster": "tiny"}, 1.0, folder / "state.json", 3600, False, print).once()


def every_job(server: str) -> list[dict]:
    items: list[dict] = httpx.get(f"{server}/api/v1/jobs", params={"cluster": "tiny", "sort": "start"}).json()["items"]
    return items


def runs(slurm: Cluster, number: str) -> bool:
    return "RUNNING" in slurm("squeue", "-h", "-j", number, "-o", "%T")


def ended(slurm: Cluster) -> int:
    return sum(job["End"].isdigit() for job in accounted(slurm).values())


def prologs_told_before_accounting(jobs: dict[str, dict], first: str, second: str) -> None:
    """At once, with the GPUs of each node, and without waiting for anybody to ask."""
    assert (jobs[first]["user"], jobs[first]["project"], jobs[first]["end"]) == ("games", "physics", None)
    assert jobs[first]["submit"] is None
    assert held(jobs[first]) == [("n01", 2, [0])]
    assert held(jobs[second]) == [("n01", 1, [1]), ("n02", 1, [0])]


def seconds(moment: str) -> int:
    """Whole seconds since the epoch: Slurm counts no others."""
    return round(datetime.fromisoformat(moment).timestamp())
