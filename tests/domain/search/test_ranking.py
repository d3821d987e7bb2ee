"""How well names match the words of a search."""

import pytest

from app.domain.search import Ranking


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("R07", 0),
        ("rack r07", 1),
        ("pdu-a", 1),
        ("r07 a", 2),
        ("a r07", 2),
        ("07", 3),
        ("du 07", 3),
        ("hall r07", 4),
        ("HALL-1", 4),
        ("r08", None),
        ("r07 r08", None),
        ("", None),
        ("  ", None),
    ],
)
def test_names_come_before_parts_and_places(text, rank):
    names = {0: ["r07"], 1: ["rack r07 x", "pdu-a-r07"]}.get(0 if text == "R07" else 1)
    assert Ranking(text).rank(names, ["hall-1", None]) == rank


def test_a_missing_label_matches_nothing():
    assert Ranking("none").rank(["n1", None], [None]) is None
