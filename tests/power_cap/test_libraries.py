"""Caps through nvidia-smi and through NVML."""

import pynvml
import pytest

from collectors.errors import ConfigError
from collectors.power_cap.board import CapDenied, CapFailed, check_range, chosen
from collectors.power_cap.nvidia_smi import NvidiaSmi
from collectors.power_cap.nvml_caps import NvmlCaps
from tests.nvml_exporter.fake_nvml import NO_PERMISSION, NOT_SUPPORTED, Board, Driver, installed
from tests.power_cap.nvidia_smi import scripted


def test_nvidia_smi_tells_and_sets(tmp_path):
    smi = scripted(tmp_path, 260.0, None, 200.0)
    library = NvidiaSmi([str(smi.program)])
    boards = library.boards()
    assert [(b.index, b.uuid, b.cap_w, b.min_w, b.max_w, b.kept) for b in boards] == [
        (0, "GPU-0", 260.0, 100.0, 260.0, True),
        (2, "GPU-2", 200.0, 100.0, 260.0, True),
    ]
    library.set("GPU-2", 150.0)
    assert smi.caps == [260.0, None, 150.0]


def test_without_the_right_the_fix_is_named(tmp_path):
    smi = scripted(tmp_path, 260.0)
    smi.set(allowed=False)
    with pytest.raises(CapDenied, match="Insufficient Permissions") as refused:
        NvidiaSmi([str(smi.program)]).set("GPU-0", 150.0)
    assert "sudo -n nvidia-smi" in refused.value.hint


def test_a_program_that_is_not_there(tmp_path):
    with pytest.raises(CapFailed, match="No such file"):
        NvidiaSmi([str(tmp_path / "nvidia-smi")]).boards()


@pytest.fixture
def driver():
    boards = [Board("GPU-a", limit_mw=700_000), Board("GPU-b", errors={"nvmlDeviceGetPowerManagementLimit": 3})]
    with installed(Driver(boards)) as driver:
        yield driver


def test_nvml_tells_and_sets(driver):
    library = NvmlCaps(pynvml)
    (board,) = library.boards()
    assert (board.uuid, board.cap_w, board.min_w, board.max_w) == ("GPU-a", 700.0, 200.0, 700.0)
    library.set("GPU-a", 350.0)
    assert driver.boards[0].limit_mw == 350_000
    with pytest.raises(CapFailed, match="nvmlDeviceSetPowerManagementLimit"):
        library.set("GPU-a", 50.0)
    library.close()
    assert driver.users == 0


def test_nvml_without_the_right(driver):
    driver.boards[0].errors["nvmlDeviceSetPowerManagementLimit"] = NO_PERMISSION
    library = NvmlCaps(pynvml)
    with pytest.raises(CapDenied) as refused:
        library.set("GPU-a", 350.0)
    assert refused.value.hint.startswith("run as root")
    assert NOT_SUPPORTED == 3


def test_boards_by_index(tmp_path):
    boards = NvidiaSmi([str(scripted(tmp_path, 260.0, 260.0).program)]).boards()
    assert [board.index for board in chosen(boards, "all")] == [0, 1]
    assert [board.index for board in chosen(boards, "1")] == [1]
    with pytest.raises(ConfigError, match="there is no GPU 7"):
        chosen(boards, "0,7")
    with pytest.raises(ConfigError, match="not a list of indices"):
        chosen(boards, "first")
    with pytest.raises(ConfigError, match="has no GPU"):
        chosen([], "all")


def test_caps_out_of_range_are_all_named(tmp_path):
    boards = NvidiaSmi([str(scripted(tmp_path, 260.0, 260.0).program)]).boards()
    check_range([100, 260], boards)
    with pytest.raises(ConfigError, match="caps 90, 270 W") as refused:
        check_range([90, 100, 260, 270], boards)
    assert refused.value.hint == "accepted: Quadro RTX 6000 100–260 W"
