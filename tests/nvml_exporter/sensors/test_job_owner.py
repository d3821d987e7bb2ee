"""Slurm job ids out of cgroups as nodes have them."""

import pytest

from collectors.nvml_exporter.sensors.job_owner import JobOwners, job_in
from tests.nvml_exporter.nodes import process

V2 = "0::/system.slice/slurmstepd.scope/job_1392969/step_0/user/task_0\n"
V1 = (
    "11:cpuset:/slurm/uid_1000/job_195428/step_batch\n"
    "10:devices:/slurm/uid_1000/job_195428/step_batch/task_0\n"
    "1:name=systemd:/system.slice/slurmd.service\n"
)


@pytest.mark.parametrize(
    ("cgroup", "job"),
    [
        (V2, "1392969"),
        (V1, "195428"),
        ("10:devices:/slurm/uid_2101171/job_280678/step_interactive/task_0\n", "280678"),
        ("0::/system.slice/node7_slurmstepd.scope/job_42/step_extern/user\n", "42"),
        ("9:memory:/slurm_node7/uid_0/job_7\n", "7"),
        ("0::/system.slice/slurmstepd.scope/system\n", None),
        ("0::/user.slice/user-1000.slice/session-3.scope\n", None),
        ("0::/docker/job_12/step_0\n", None),
        ("0::/user.slice/slurmstepd.scope/job_12x/step_0\n", None),
        ("", None),
    ],
)
def test_a_cgroup(cgroup, job):
    assert job_in(cgroup) == job


def test_a_process_is_asked_once_and_its_number_may_be_used_again(tmp_path):
    owners = JobOwners(tmp_path / "proc")
    process(tmp_path, 4711, V2)
    assert owners.job_of(4711) == "1392969"
    process(tmp_path, 4711, V1)
    assert owners.job_of(4711) == "1392969"
    owners.forget_all_but({4711})
    assert owners.job_of(4711) == "1392969"
    owners.forget_all_but(set())
    assert owners.job_of(4711) == "195428"


def test_a_process_that_is_gone_has_no_job(tmp_path):
    assert JobOwners(tmp_path).job_of(4711) is None
