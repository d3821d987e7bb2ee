"""The comparison itself: what counts as met, and what does not."""

from tests.conformance.snmp.snmp_coverage import Coverage, Reading
from tests.conformance.snmp.snmp_expectations import Expected, Instead, Miss

POWER = Expected("pdu", "1.3.6.1.5.1", "power", 1140.0, "Total")
COARSE = Expected("pdu", "1.3.6.1.6.1.9", "current", 4.9, "L1")
LOOSER = Instead(("pdu",), "1.3.6.1.6.1", "1.3.6.1.7.1", 0.1, "hundredths for tenths")


def sorted_as(*readings: Reading, known: tuple[Miss, ...] = ()) -> tuple[int, int, int]:
    coverage = Coverage("pdu", readings=list(readings))
    coverage.compare([POWER, COARSE], known, [LOOSER])
    return len(coverage.met), len(coverage.explained), len(coverage.unexplained)


def test_the_value_the_quantity_and_the_object_must_agree():
    right = Reading("inlet:power", "power", "1.3.6.1.5.1", 1140.2)
    assert sorted_as(right) == (1, 0, 1)
    assert sorted_as(Reading("inlet:power", "power", "1.3.6.1.5.1", 114.0)) == (0, 0, 2)
    assert sorted_as(Reading("inlet:apparent_power", "apparent_power", "1.3.6.1.5.1", 1140.0)) == (0, 0, 2)
    assert sorted_as(Reading("inlet:power", "power", "1.3.6.1.5.2", 1140.0)) == (0, 0, 2)


def test_another_object_of_the_same_row_counts_within_the_coarser_step():
    assert sorted_as(Reading("inlet/l1:current", "current", "1.3.6.1.7.1.9", 4.87)) == (1, 0, 1)
    assert sorted_as(Reading("inlet/l1:current", "current", "1.3.6.1.7.1.9", 5.2)) == (0, 0, 2)
    assert sorted_as(Reading("inlet/l2:current", "current", "1.3.6.1.7.1.8", 4.9)) == (0, 0, 2)


def test_an_explanation_is_of_its_capture_and_objects_alone():
    told = {"kind": "left out", "why": "w", "evidence": "e", "source": "s"}
    assert sorted_as(known=(Miss(("pdu",), ("1.3.6.1.5.*",), **told),)) == (0, 1, 1)
    assert sorted_as(known=(Miss(("other",), ("*",), **told),)) == (0, 0, 2)
