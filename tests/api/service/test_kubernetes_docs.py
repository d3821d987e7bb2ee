"""The recipe for Kubernetes, run as it stands in the page against a real server; only kubectl is a script of ours."""

import json
import os
import re
import subprocess
import sys

import httpx
import pytest

from app.server.serving import serving
from app.store.facility import Node
from tests.paths import DOCS

PAGE = DOCS / "kubernetes.md"


def pod(name, phase, node="n1", gpus="0", ended=None, cpu="4"):
    state = {"terminated": {"finishedAt": ended}} if ended else {"running": {}}
    return {
        "metadata": {
            "uid": f"uid-{name}",
            "name": name,
            "namespace": "physics",
            "creationTimestamp": "2026-11-20T08:59:00Z",
            "labels": {"user": "ada"},
        },
        "spec": {
            "nodeName": node,
            "containers": [{"resources": {"limits": {"cpu": cpu, "nvidia.com/gpu": gpus}}}],
        },
        "status": {"phase": phase, "startTime": "2026-11-20T09:00:00Z", "containerStatuses": [{"state": state}]},
    }


@pytest.fixture
def run(client, stores, tmp_path):
    """One round of the recipe with these pods; what it printed and the jobs there are then."""
    stores.facility.upsert([Node(key="n1")])
    (recipe,) = re.findall(r"```python\n(.+?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (tmp_path / "recipe.py").write_text(recipe)
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(f'#!/bin/sh\n[ "$*" = "get pods -A -o json" ] && cat {tmp_path}/pods.json\n')
    kubectl.chmod(0o755)

    def once(*pods):
        (tmp_path / "pods.json").write_text(json.dumps({"items": pods}))
        environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "WATTLINE_URL": url, "CLUSTER": "k8s"}
        done = subprocess.run(
            [sys.executable, tmp_path / "recipe.py"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        items = httpx.get(f"{url}/api/v1/jobs").json()["items"]
        return done.stdout, {job["name"]: job for job in items}

    with serving(client.app) as url:
        yield once


def test_the_recipe_brings_in_pods_ends_them_and_goes_on_past_a_foreign_node(run):
    waiting = pod("waiting", "Pending")
    del waiting["status"]["startTime"]
    said, jobs = run(
        pod("a", "Running", gpus="2"), pod("b", "Running", cpu="500m"), pod("c", "Running", node="x9"), waiting
    )
    assert said == "c nodes.0.node: there is no node 'x9'\n"
    assert set(jobs) == {"a", "b"}
    assert (jobs["a"]["cluster"], jobs["a"]["job_id"], jobs["a"]["user"], jobs["a"]["project"]) == (
        "k8s",
        "uid-a",
        "ada",
        "physics",
    )
    assert (jobs["a"]["start"], jobs["a"]["end"]) == ("2026-11-20T09:00:00Z", None)
    assert [(jobs[name]["nodes"][0]["gpus"], jobs[name]["nodes"][0]["cores"]) for name in "ab"] == [
        (None, 4),
        ([], None),
    ]

    _, jobs = run(pod("a", "Succeeded", gpus="2", ended="2026-11-20T10:30:00Z"))
    assert set(jobs) == {"a", "b"}
    assert (jobs["a"]["end"], jobs["a"]["state"]) == ("2026-11-20T10:30:00Z", "completed")
    assert (jobs["b"]["end"] is not None, jobs["b"]["state"]) == (True, "deleted")
