"""The former caps are back, however a sweep ends. Processes are really killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from collectors.errors import ConfigError
from collectors.power_cap.board import CapDenied, CapFailed
from collectors.power_cap.hold import holding, undo
from collectors.power_cap.journal import Journal, JournalEntry
from collectors.power_cap.nvidia_smi import NvidiaSmi
from tests.power_cap.nvidia_smi import scripted

PATIENCE_S = 30.0


@pytest.fixture
def smi(tmp_path):
    return scripted(tmp_path, 260.0, 240.0)


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path / "state" / "power-caps.json")


def hold(smi, journal, which="all", caps=(150.0,)):
    through = [str(smi.program)]
    return holding(NvidiaSmi(through), through, which, caps, journal)


def until(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_the_former_caps_are_back_at_the_end(smi, journal):
    with hold(smi, journal) as held:
        held.set(150.0)
        assert smi.caps == [150.0, 150.0]
        assert held.lost(150.0) is None
        assert journal.read().former_w == {"GPU-0": 260.0, "GPU-1": 240.0}
    assert smi.caps == [260.0, 240.0]
    assert journal.read() is None


def test_only_the_chosen_gpu_is_touched(smi, journal):
    with hold(smi, journal, "1") as held:
        held.set(150.0)
        assert smi.caps == [260.0, 150.0]
    assert {uuid for uuid, _ in smi.told()["set"]} == {"GPU-1"}


def test_they_are_back_after_an_exception(smi, journal):
    with pytest.raises(ZeroDivisionError), hold(smi, journal) as held:
        held.set(1 / (held.set(150.0) or 0))
    assert ["GPU-0", 150.0] in smi.told()["set"]
    assert smi.caps == [260.0, 240.0]


def test_nothing_is_touched_without_the_right(smi, journal):
    smi.set(allowed=False)
    with pytest.raises(CapDenied), hold(smi, journal):
        pytest.fail("held")
    assert smi.told()["set"] == []
    assert journal.read() is None


def test_nothing_is_touched_for_a_cap_out_of_range(smi, journal):
    with pytest.raises(ConfigError, match="cap 300 W"), hold(smi, journal, caps=(150.0, 300.0)):
        pytest.fail("held")
    assert smi.told()["set"] == []


def test_a_driver_that_forgets_caps_is_refused(smi, journal):
    smi.set(persistence="Disabled")
    with pytest.raises(ConfigError, match="persistence mode is off"), hold(smi, journal):
        pytest.fail("held")


def test_a_cap_that_does_not_hold_is_noticed(smi, journal):
    with hold(smi, journal) as held:
        smi.set(stuck="GPU-1")
        with pytest.raises(CapFailed, match=r"GPU 1 .* is capped at 240 W, not at 150 W"):
            held.set(150.0)
        smi.set(stuck="")
    assert smi.caps == [260.0, 240.0]


def test_two_sweeps_at_once_are_refused(smi, journal):
    with hold(smi, journal), pytest.raises(ConfigError, match="another sweep is running"), hold(smi, journal):
        pytest.fail("held")


HOLDER = """
import sys, time
from pathlib import Path
from collectors.power_cap.hold import holding
from collectors.power_cap.journal import Journal
from collectors.power_cap.nvidia_smi import NvidiaSmi
through = [sys.argv[1]]
with holding(NvidiaSmi(through), through, "all", [150.0], Journal(Path(sys.argv[2]))) as held:
    held.set(150.0)
    held.note_job("J7")
    time.sleep(600)
"""


@pytest.fixture
def holder(smi, journal):
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(smi.program), str(journal.path)])
    until(lambda: journal.path.exists() and journal.read().job == "J7")
    yield process
    process.kill()
    process.wait()


def test_they_are_back_after_sigkill(smi, journal, holder):
    assert smi.caps == [150.0, 150.0]
    holder.kill()
    until(lambda: smi.caps == [260.0, 240.0])
    until(lambda: journal.read().restored_ms is not None)
    with pytest.raises(ConfigError, match="an earlier sweep was not cleaned up"), hold(smi, journal):
        pytest.fail("held")
    assert undo(journal).job == "J7"
    assert journal.read() is None


def test_they_are_set_back_later_when_the_guard_was_killed_too(smi, journal, holder):
    guards = Path(f"/proc/{holder.pid}/task/{holder.pid}/children").read_text().split()
    assert guards
    for pid in guards:
        os.kill(int(pid), signal.SIGKILL)
    holder.kill()
    holder.wait()
    assert smi.caps == [150.0, 150.0]
    assert undo(journal).former_w == {"GPU-0": 260.0, "GPU-1": 240.0}
    assert smi.caps == [260.0, 240.0]


def test_what_cannot_be_set_back_now_stays_to_be_undone(smi, journal, tmp_path):
    journal.path.parent.mkdir()
    journal.write(JournalEntry({"GPU-0": 260.0, "GPU-1": 240.0}, (str(smi.program),)))
    smi.set(allowed=False)
    with pytest.raises(CapDenied):
        undo(journal)
    assert journal.read() is not None
    smi.set(allowed=True)
    undo(journal)
    assert journal.read() is None


def test_a_journal_no_one_can_read_is_kept(journal):
    journal.path.parent.mkdir()
    journal.path.write_text("{")
    with pytest.raises(ConfigError, match="cannot be read"):
        undo(journal)
    assert journal.path.exists()
