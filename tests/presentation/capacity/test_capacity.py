"""The sentences of the capacity page."""

from app.presentation.capacity.capacity import pdus_title, racks_title


def test_the_one_nearest_to_its_limit_is_named() -> None:
    assert racks_title({"R07": (42_400.0, 70_000.0), "R08": (9_216.0, 14_400.0), "R09": (None, 11_000.0)}) == (
        "R08 came closest to its capacity: 64\u2009%, of 2 racks"
    )
    assert pdus_title({"a": (20.0, 40.0)}) == "a reached 50\u2009% of its limit per line"


def test_what_was_over_is_named_first() -> None:
    assert pdus_title({"a": (41.0, 40.0), "b": (39.0, 40.0)}) == "a was over the limit per line"
    assert racks_title({"a": (2.0, 1.0), "b": (3.0, 1.0)}) == "a and b were over the capacity"


def test_nothing_known_is_no_claim() -> None:
    assert racks_title({"R07": (None, 70_000.0), "R08": (1.0, None)}) == "Racks"


def test_a_rack_of_which_a_part_is_missing_may_be_higher() -> None:
    loads = {"R07": (21_700.0, 70_000.0), "R08": (9_216.0, 14_400.0)}
    assert racks_title(loads, ["R07"]) == "R08 reached 64\u2009% of its capacity; R07 may be higher"
    assert racks_title({"R07": (21_900.0, 70_000.0)}, ["R07"]) == "R07 reached at least 31\u2009% of its capacity"
