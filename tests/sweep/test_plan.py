"""Caps and the order of runs."""

import pytest

from app.cli.sweep.plan import SweepRun, caps, plan
from app.errors import Invalid


def test_a_range_holds_both_ends():
    assert caps("100:260:10") == [100, 110, 120, 130, 140, 150, 160, 170, 180, 190, 200, 210, 220, 230, 240, 250, 260]
    assert caps("100:125:10") == [100, 110, 120]
    assert caps("0.1:0.3:0.1") == pytest.approx([0.1, 0.2, 0.3])


def test_a_list_keeps_its_order():
    assert caps("260,150,200,150") == [260, 150, 200]


@pytest.mark.parametrize("text", ["", "fast", "100:260", "260:100:10", "100:260:0", "100:260:-5", "-1,100", "1:nan:1"])
def test_what_cannot_be_meant(text):
    with pytest.raises(Invalid, match="--caps") as refused:
        caps(text)
    assert "--caps 100:260:10" in refused.value.hint


def test_runs_go_cap_by_cap():
    assert plan([200, 100], 2) == [SweepRun(200, 1), SweepRun(200, 2), SweepRun(100, 1), SweepRun(100, 2)]


def test_a_seed_shuffles_the_same_way_again_and_goes_on_where_it_was():
    whole = plan([100, 200, 300], 4, seed=7)
    assert sorted(whole) == plan([100, 200, 300], 4)
    assert whole != sorted(whole)
    assert plan([100, 200, 300], 4, seed=7, done=set(whole[:5])) == whole[5:]


@pytest.mark.parametrize("repeats", [0, -1, 10_001])
def test_too_few_or_too_many(repeats):
    with pytest.raises(Invalid, match="--repeat"):
        plan([100], repeats)
