"""What the open captures of real devices report passes the gate for impossible readings."""

import numpy as np
import pytest

from app.domain.plausibility import PlausibilityGate, RefusalReason
from tests.conformance.captures import capture
from tests.conformance.snmp.snmp_coverage import coverages

pytestmark = [pytest.mark.conformance, pytest.mark.timeout(300)]
LEAST_READINGS = 3000


def test_no_reading_of_a_capture_is_refused():
    capture("snmp/expected_sensors.csv")
    readings, refused = 0, []
    for name, coverage in coverages().items():
        for frame in coverage.frames:
            values = np.array([frame.values])
            readings += int(np.isfinite(values).sum())
            before = np.full(values.shape[1], np.nan)
            reasons = PlausibilityGate.of(frame.layout.series).judge(values, lambda known=before: known)
            for i in () if reasons is None else np.flatnonzero(reasons[0]):
                why = RefusalReason(int(reasons[0, i])).name
                refused.append(f"{name} {frame.layout.series[i].key} {values[0, i]:g} {why}")
    assert refused == []
    assert readings > LEAST_READINGS
