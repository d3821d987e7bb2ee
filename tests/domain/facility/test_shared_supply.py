"""The power of a supply, divided: by hand, and so that nothing is lost or made."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.energy.energy import energy_j
from app.domain.facility.shared_supply import equal_shares, shares
from app.domain.timeseries.curve import Curve, add, from_samples, value_at
from tests.domain.timeseries.strategies import curves


def curve(*v: float) -> Curve:
    return from_samples(10_000 * np.arange(len(v)), v, 10_000, 30_000)


def test_the_proportion_of_what_the_nodes_say_counts() -> None:
    # 1000 W at the wall; the BMCs say 300 + 100 W, then 100 + 100 W: 750 + 250 W, then 500 + 500 W
    first, second = shares(curve(1000.0, 1000.0), [curve(300.0, 100.0), curve(100.0, 100.0)])
    assert value_at(first, [0, 10_000]).tolist() == [750.0, 500.0]
    assert value_at(second, [0, 10_000]).tolist() == [250.0, 500.0]
    assert value_at(first, [5_000]).tolist() == [625.0]


def test_no_share_where_one_node_says_nothing() -> None:
    nan = float("nan")
    first, second = shares(
        curve(*[900.0] * 8), [curve(*[200.0] * 8), curve(100.0, nan, nan, nan, nan, nan, 100.0, 100.0)]
    )
    # the second BMC's value at 0 s holds until 10 s; it is back at 60 s and holds until 80 s
    assert first.covered_ms == second.covered_ms == 30_000
    assert np.isnan(value_at(first, [30_000])[0])
    assert value_at(first, [5_000, 65_000]).tolist() == [600.0, 600.0]


def test_no_proportion_of_nothing() -> None:
    first, second = shares(curve(500.0, 500.0, 500.0), [curve(0.0, 0.0, 100.0), curve(0.0, 0.0, 100.0)])
    assert (first.start_ms, first.end_ms) == (20_000, 30_000)
    assert value_at(second, [25_000]).tolist() == [250.0]
    negative, _ = shares(curve(500.0, 500.0), [curve(-50.0, -50.0), curve(100.0, 100.0)])
    assert len(negative) == 0


def test_equal_shares() -> None:
    first, second, third = equal_shares(curve(600.0, 900.0), 3)
    assert value_at(first, [0, 10_000]).tolist() == [200.0, 300.0]
    assert first is second is third
    with pytest.raises(ValueError, match="without nodes"):
        equal_shares(curve(1.0), 0)


@given(curves(), st.lists(curves(), min_size=1, max_size=4))
def test_the_shares_add_up_to_the_supply_at_every_moment(whole: Curve, said: list[Curve]) -> None:
    weights = [Curve(c.time_base, np.abs(c.v)) for c in said]
    parts = shares(whole, weights)
    together = add(parts)
    if not len(together):
        return
    moments = np.unique(np.linspace(together.t_ms[0], together.t_ms[-1], 200).astype(np.int64))
    covered = ~np.isnan(value_at(together, moments))
    scale = max(1.0, float(np.abs(whole.v).max()))
    assert np.allclose(
        value_at(together, moments)[covered], value_at(whole, moments)[covered], rtol=1e-9, atol=1e-9 * scale
    )
    for a, b in zip(together.t_ms[:-1][together.linked[:-1]], together.t_ms[1:][together.linked[:-1]], strict=True):
        joules = sum(energy_j(part, int(a), int(b)) for part in parts)
        assert joules == pytest.approx(energy_j(whole, int(a), int(b)), rel=1e-9, abs=1e-6 * scale)
