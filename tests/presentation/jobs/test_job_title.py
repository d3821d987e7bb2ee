"""What a job is called: its kind, its hardware, the tags worth a glance."""

import pytest

from app.presentation.jobs.job_title import hardware, kind, telling_tags
from app.store.facility import Facility, Model, Node
from app.store.jobs.job import Job, JobNode


def facility() -> Facility:
    models = {"h100": Model(key="h100", label="8×H100 HGX", gpus=8), "cpu": Model(key="cpu", label="2× Xeon", gpus=0)}
    nodes = {"a": Node(key="a", model="h100"), "b": Node(key="b", model="h100"), "c": Node(key="c", model="cpu")}
    nodes["bare"] = Node(key="bare")
    nothing = {name: {} for name in ("sites", "rooms", "racks", "devices", "supplies", "auths", "feeds")}
    return Facility(models=models, nodes=nodes, **nothing)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([JobNode("a")], "8×H100 HGX"),
        ([JobNode("a", gpus=tuple(range(8)))], "8×H100 HGX"),
        ([JobNode("a", gpus=(0, 3))], "2 of 8 GPUs, 8×H100 HGX"),
        ([JobNode("a"), JobNode("b")], "2 nodes, 8×H100 HGX"),
        ([JobNode("a"), JobNode("c")], "2 nodes, 2× Xeon, 8×H100 HGX"),
        ([JobNode("c", gpus=())], "2× Xeon"),
        ([JobNode("bare")], ""),
        ([JobNode("gone")], ""),
        ([JobNode("a", start_ms=1, end_ms=2), JobNode("a", start_ms=3, end_ms=4)], "8×H100 HGX"),
    ],
)
def test_hardware(parts, words):
    assert hardware(facility(), Job(start_ms=0, nodes=tuple(parts))) == words


def test_the_kind_is_the_first_tag_that_tells():
    assert kind({"task": "training", "suite": "mlperf"}) == "training"
    assert kind({"suite": "mlperf-inference"}) == "mlperf-inference"
    assert kind({"model": "resnet"}) == ""


def test_tags_for_a_glance():
    tags = {"task": "training", "model": "resnet", "official_energy_j": "1", "note": "a" * 40, "empty": ""}
    assert telling_tags(tags) == [("model", "resnet")]
