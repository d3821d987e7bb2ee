"""Identification does not depend on one object: captures without what names the device still get their profile."""

import pytest

from collectors.profiles.registry import catalogue
from tests.conformance.captures import capture
from tests.conformance.snmp.snmp_coverage import coverages
from tests.conformance.snmp.snmp_stripped import stripped

pytestmark = [pytest.mark.conformance, pytest.mark.timeout(300)]

LEAST_WITHOUT_SCALARS = 0.95
LEAST_WITHOUT_OBJECT_ID = 0.80


def test_captures_without_identity_scalars_and_sysobjectid_get_their_profile_and_none_a_wrong_one():
    capture("snmp/expected_sensors.csv")
    own = {name: coverage.profile for name, coverage in coverages().items() if coverage.readings}
    found = stripped(sorted(own))
    assert sum(s.without_scalars == own[s.capture] for s in found) >= LEAST_WITHOUT_SCALARS * len(own)
    assert sum(s.without_object_id == own[s.capture] for s in found) >= LEAST_WITHOUT_OBJECT_ID * len(own)
    generic = {p.name for p in catalogue().values() if p.protocol == "snmp" and p.is_generic}
    wrong = [s for s in found if not {s.without_scalars, s.without_object_id} <= {own[s.capture], "", *generic}]
    assert wrong == []
