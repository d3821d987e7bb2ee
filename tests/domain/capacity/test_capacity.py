"""How many more fit. The published case and numbers by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.capacity.capacity import CapacityLevel, additional_nodes

RATED = CapacityLevel("rack", "r07", 70_000, 5 * 10_200, 10_200)
OBSERVED = CapacityLevel("rack", "r07", 70_000, 5 * 8_480, 8_480)


class TestPublishedRack:
    """70 kW, five nodes of eight GPUs, rated 10.2 kW and observed at 8.48 kW."""

    def test_margins(self):
        assert round(RATED.margin_pct(), 1) == 27.1
        assert round(OBSERVED.margin_pct(1), 1) == 27.3

    def test_one_more_fits_as_observed_with_the_margin_the_rating_leaves(self):
        result = additional_nodes([OBSERVED], margin_pct=27)
        assert result.additional_nodes == 1
        assert result.binding is OBSERVED

    def test_none_fits_as_rated(self):
        assert additional_nodes([RATED], margin_pct=27).additional_nodes == 0

    def test_without_a_margin(self):
        assert additional_nodes([RATED]).additional_nodes == 1  # 19 000 / 10 200
        assert additional_nodes([OBSERVED]).additional_nodes == 3  # 27 600 / 8 480


class TestLevels:
    def test_the_level_that_allows_the_fewest_binds(self):
        line = CapacityLevel("line", "pdu-a/L2", 40, 25, 8, "A")
        result = additional_nodes([OBSERVED, line])
        assert (result.additional_nodes, result.binding) == (1, line)
        assert result.stranded(OBSERVED) == 70_000 - 42_400 - 8_480
        assert result.stranded(line) == 7

    def test_of_equals_the_fuller_binds(self):
        loose, tight = CapacityLevel("pdu", "a", 100, 60, 30), CapacityLevel("pdu", "b", 100, 65, 30)
        assert additional_nodes([loose, tight]).binding is tight

    def test_exactly_full_fits(self):
        assert additional_nodes([CapacityLevel("space", "r07", 42, 40, 1, "U")]).additional_nodes == 2
        assert (
            additional_nodes([CapacityLevel("pdu", "a", 0.3, 0, 0.1, "kW")]).additional_nodes == 3
        )  # 0.3 / 0.1 is 2.9999…

    def test_an_overloaded_level_takes_none_even_of_nodes_that_add_nothing(self):
        assert additional_nodes([CapacityLevel("rack", "r", 100, 120, 10)]).additional_nodes == 0
        assert additional_nodes([CapacityLevel("rack", "r", 100, 95, 0)], margin_pct=10).additional_nodes == 0

    def test_a_level_the_node_does_not_load_does_not_bind(self):
        free = CapacityLevel("line", "b/L1", 40, 10, 0, "A")
        assert additional_nodes([free, OBSERVED]).binding is OBSERVED
        assert additional_nodes([free]).additional_nodes is None
        assert additional_nodes([]).binding is None

    @pytest.mark.parametrize("bad", [(0, 1, 1), (10, math.nan, 1), (10, 1, -1), (10, 1, math.inf)])
    def test_what_is_unknown_is_no_level(self, bad):
        with pytest.raises(ValueError, match="rack r07"):
            CapacityLevel("rack", "r07", *bad)

    @pytest.mark.parametrize("margin", [-1, 100, math.nan])
    def test_a_margin_is_a_percentage(self, margin):
        with pytest.raises(ValueError, match="not within"):
            additional_nodes([RATED], margin)

    @given(
        st.lists(st.tuples(st.integers(1, 10**6), st.integers(0, 10**6), st.integers(1, 10**5)), min_size=1),
        st.integers(0, 99),
    )
    def test_it_is_the_largest_number_that_fits(self, rows, margin):
        levels = [CapacityLevel("line", str(i), *row) for i, row in enumerate(rows)]
        result = additional_nodes(levels, margin)
        n = result.additional_nodes
        fits = [100 * level.load_with(n) <= level.limit * (100 - margin) for level in levels]
        assert all(fits) or n == 0
        assert any(100 * level.load_with(n + 1) > level.limit * (100 - margin) for level in levels)
