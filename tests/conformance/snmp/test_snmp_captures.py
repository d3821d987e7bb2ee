"""Every SNMP capture read by the real driver gives what is expected of it; what it does not give is explained."""

import pytest

from collectors.profiles.registry import catalogue
from tests.conformance.captures import capture
from tests.conformance.snmp.snmp_coverage import Coverage, coverages
from tests.conformance.snmp.snmp_expectations import MISSES, captures, misses
from tests.snmprec_agent import read_snmprec

pytestmark = [pytest.mark.conformance, pytest.mark.timeout(300)]

LEAST_MET = 0.95
LEAST_OF_THE_RIGHT_MET = 0.97


@pytest.fixture(scope="module")
def read() -> dict[str, Coverage]:
    capture("snmp/expected_sensors.csv")
    return coverages()


@pytest.mark.parametrize("name", captures())
def test_every_miss_is_explained(read, name):
    coverage = read[name]
    assert coverage.error == ""
    assert coverage.unexplained == [], f"explain it in {MISSES.name}/*.toml or read it"


@pytest.mark.parametrize(
    ("name", "closest"),
    [
        ("apc_metered-rack", "apc-rpdu2"),
        ("eaton-mgeups_5p", "eaton-mge"),
        ("eatonpdu_epdu", "eaton-epdu"),
        ("generex-ups", "ups-mib"),
        ("vertiv-pdu_imd5", "vertiv-geist"),
        ("dpi", "none"),
    ],
)
def test_devices_that_answer_no_more_than_who_they_are_are_reported_the_closest_profile(read, name, closest):
    assert (read[name].profile, read[name].closest) == ("", closest)


def test_powers_that_an_energy_object_calls_unavailable_are_not_read_as_0(read):
    """Every eoPower of this relay board is 0, and every eoPowerMeasurementCaliber 1: unavailable."""
    assert (read["digital-loggers"].profile, read["digital-loggers"].readings) == ("energy-object", [])


def test_as_many_values_are_met_as_promised(read):
    expected = sum(coverage.expected for coverage in read.values())
    wrong = sum(coverage.wrong for coverage in read.values())
    met = sum(len(coverage.met) for coverage in read.values())
    assert met / expected >= LEAST_MET
    assert met / (expected - wrong) >= LEAST_OF_THE_RIGHT_MET


def test_every_explanation_explains_something(read):
    used = {miss for coverage in read.values() for _, miss in coverage.explained}
    assert [miss for miss in misses() if miss not in used] == []


@pytest.mark.parametrize(
    "miss", [m for m in misses() if m.shows or m.absent], ids=lambda m: f"{m.captures[0]} {m.oids[0]}"
)
def test_the_evidence_replaces_the_recording(miss):
    for name in miss.captures:
        told = {oid: value for oid, _, value in read_snmprec(capture(f"snmp/snmprec/{name}.snmprec"))}
        assert {oid: told.get(oid) for oid, _ in miss.shows} == dict(miss.shows)
        assert told.keys() & set(miss.absent) == set()


def test_a_profile_that_claims_a_recording_was_checked_against_one(read):
    checked = {coverage.profile for coverage in read.values() if coverage.readings}
    claims = {p.name for p in catalogue().values() if p.protocol == "snmp" and p.evidence == "capture"}
    assert claims - checked == set()
    assert checked - claims == set()
