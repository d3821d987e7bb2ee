"""Outages from failed polls, against stretches counted by hand."""

from app.domain.devices.polling_outages import covered_ms, outages


def test_failures_close_together_are_one_outage():
    failed = [10_000, 20_000, 40_000, 110_000, 600_000]
    assert outages(failed, patience_ms=80_000, lasts_ms=10_000) == [(10_000, 120_000), (600_000, 610_000)]


def test_no_failure_is_no_outage():
    assert outages([], 80_000, 10_000) == []


def test_what_overlaps_counts_once_and_only_inside():
    stretches = [(0, 50), (40, 60), (90, 200)]
    assert covered_ms(stretches, 10, 100) == 50 + 10
    assert covered_ms([(30, 40), (0, 100)], 0, 100) == 100
    assert covered_ms([], 0, 100) == 0
