"""The words of the headroom panel, on the published case: 70 kW, five nodes of 10.2 kW, observed 8.48 kW."""

from app.domain.capacity.capacity import CapacityLevel, additional_nodes
from app.presentation.capacity import headroom
from app.services.capacity import fewest, margins_offered

OBSERVED = CapacityLevel("rack", "r07", 70_000, 5 * 8_480, 8_480)
RATED = CapacityLevel("rack", "r07", 70_000, 51_000, 10_200)
AS_RATED = 100 * (1 - 51 / 70)  # 27.14 %


def test_one_more_fits_at_the_observed_maximum_and_none_at_rated_power() -> None:
    observed, rated = additional_nodes([OBSERVED], AS_RATED), additional_nodes([RATED], AS_RATED)
    said = headroom.answer(observed, "8×H100", "observed max", AS_RATED)
    assert said.text == "1 more fits"
    assert said.basis == "8×H100, observed max, margin 27.1\u2009%"
    assert said.binding == "binding: rack capacity (70\u2009kW)"
    assert headroom.title(observed, measured=True) == "As measured, one more node fits"
    assert headroom.answer(rated, "8×H100", "rated", AS_RATED).text == "No further node fits"
    assert headroom.title(rated, measured=False) == "By nameplate, no further node fits"


def test_margins_offered() -> None:
    assert round(margins_offered(51_000, 70_000)["rated"], 1) == 27.1
    assert list(margins_offered(None, 70_000)) == ["0", "10", "20"]
    assert list(margins_offered(80_000, 70_000)) == ["0", "10", "20"]
    assert headroom.margin_label("rated", 27.142857) == "as rated, 27.1\u2009%"


def test_rows() -> None:
    row = headroom.power_row(additional_nodes([OBSERVED]), OBSERVED)
    assert (row.label, row.text, row.additional) == ("Rack capacity", "42.4 of 70.0\u2009kW", 3)
    space = CapacityLevel("space", "r07", 42, 31, 6, "U")
    row = headroom.count_row(additional_nodes([space]), space)
    assert (row.text, row.additional) == ("11U free in one piece, a node takes 6U", 1)


def test_the_fewest_counts_and_unknown_levels_do_not() -> None:
    space = additional_nodes([CapacityLevel("space", "r07", 42, 42, 6, "U")])
    open_end = additional_nodes([CapacityLevel("outlets", "r07", 42, 0, 0, "outlets")])
    assert fewest([additional_nodes([OBSERVED]), space, open_end]) is space


def test_room_words() -> None:
    assert headroom.room_words(1, "8×H100") == "room for one more 8×H100"
    assert headroom.room_words(2, "8×H100") == "room for 2 more: 8×H100"
    assert headroom.room_words(0, "8×H100") is None


def test_while_a_part_of_the_rack_is_missing_so_many_fit_at_most() -> None:
    capacity = additional_nodes([CapacityLevel("rack", "r07", 70_000, 40_000, 10_000)])  # 30 kW left, 10 kW each: 3
    found = headroom.answer(capacity, "H100", "observed max", 0.0, is_partial=True)
    assert (found.text, found.fits) == ("At most 3 more fit", False)
    assert headroom.title(capacity, measured=True, is_partial=True) == "As measured, at most 3 more nodes fit"
