"""A rhythm without drift, on a clock that the work itself moves."""

import pytest

from collectors.nvml_exporter.sampling_thread import SamplingThread


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_late_work_does_not_shift_the_rhythm():
    clock, due = Clock(), 0.0
    sampling = SamplingThread(lambda: None, 0.5, clock)
    moments = []
    for late in (0.01, 0.02, 0.3, 0.0):
        clock.now = due + late
        sampling.once()
        due = sampling.after(due)
        moments.append(due)
    assert moments == pytest.approx([0.5, 1.0, 1.5, 2.0])
    assert (sampling.samples, sampling.skipped) == (4, 0)


def test_work_that_takes_too_long_skips_and_counts():
    clock = Clock()
    sampling = SamplingThread(lambda: setattr(clock, "now", clock.now + 1.7), 0.5, clock)
    sampling.once()
    assert sampling.after(0.0) == pytest.approx(2.0)  # 0.5, 1.0 and 1.5 have passed
    assert sampling.skipped == 3
    assert sampling.busy_s == pytest.approx(1.7)


def test_what_breaks_is_counted_and_tried_again(caplog):
    def broken() -> None:
        raise RuntimeError("a bug")

    sampling = SamplingThread(broken, 0.5)
    sampling.once()
    sampling.once()
    assert (sampling.samples, sampling.failed) == (0, 2)
    assert caplog.text.count("sample failed") == 1


def test_a_thread_of_its_own_that_ends():
    sampling = SamplingThread(lambda: None, 0.001)
    sampling.start()
    while sampling.samples < 3:
        pass
    sampling.stop()
    assert not sampling.is_alive()
