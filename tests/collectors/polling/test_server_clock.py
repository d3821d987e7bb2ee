"""The offset of a collector's clock, measured against answers of the server, on clocks that the test owns."""

import pytest

from collectors.delivery.server_clock import ClockState, ServerClock


class Clocks:
    def __init__(self) -> None:
        self.wall, self.steady = 1_000_000_000, 5_000

    def pass_ms(self, ms: int) -> None:
        self.wall += ms
        self.steady += ms

    def server(self) -> ServerClock:
        return ServerClock(lambda: self.wall, lambda: self.steady)


@pytest.fixture
def clocks():
    return Clocks()


def test_the_offset_is_that_of_the_middle_of_the_request(clocks):
    clock = clocks.server()
    assert clock.state() is None
    sent = clock.monotonic_ms()
    clocks.pass_ms(400)
    clock.observe(999_990_200, sent, clock.monotonic_ms())  # at 1_000_000_200 by our clock
    state = clock.state()
    assert (state.offset_ms, clock.round_trip_ms) == (10_000, 400)
    clocks.pass_ms(3_600_000)
    assert clock.state() == ClockState(1_003_600_400, 1_003_590_400)


@pytest.mark.parametrize("set_by", [-3_600_000, 3_600_000])
def test_a_step_is_noticed_once_and_the_offset_follows_it_at_once(clocks, set_by):
    clock = clocks.server()
    clock.observe(clocks.wall, clocks.steady, clocks.steady)
    assert clock.step_ms() == 0
    clocks.pass_ms(5_000)
    clocks.wall += set_by
    assert clock.state().offset_ms == set_by
    assert clock.state().is_ahead == (set_by > 0)
    assert clock.step_ms() == set_by
    assert clock.step_ms() == 0


def test_the_drift_that_a_time_service_corrects_is_no_step(clocks):
    clock = clocks.server()
    for _ in range(100):
        clocks.pass_ms(3_000)
        clocks.wall -= 2
        assert clock.step_ms() == 0


def test_frames_from_before_the_first_answer_get_their_offset_with_it(clocks):
    clock = clocks.server()
    clock.remember(1, 2)
    clocks.pass_ms(10_000)
    clock.remember(3, 5)
    clocks.wall -= 7_200_000  # it was two hours ahead until here
    clock.remember(6, 6)
    assert clock.placed() == []
    clock.observe(clocks.wall - 500, clocks.steady, clocks.steady)
    assert [(first, last, state.offset_ms) for first, last, state in clock.placed()] == [
        (1, 5, 7_200_500),
        (6, 6, 500),
    ]
    assert clock.placed() == []
