"""The facility page of a large site is made from the minute rollups: with the same figures as from the samples."""

from collections.abc import Iterator

import numpy as np
import pytest

from app.presentation.facility import FacilityView, facility_view
from app.services.pages import facility_day, read_facility_page
from app.services.rollups import minute_curves, refresh_minutes, rollup_parts
from app.services.stores import Stores, open_stores
from app.settings import Settings
from app.store.database import open_engine
from collectors.contract import DAY_MS, HOUR_MS, MINUTE_MS
from tests.benchmarks.site import NOW_MS, SiteSize, last_day, write_facility, write_readings

GAP = slice(600, 660)
"""An hour in which a PDU of rack 1 is silent: minutes 600 to 659 of the day."""


def _site(folder, migrated: bytes, size: SiteSize, silent: str | None = None) -> Stores:
    path = folder / "wattline.db"
    path.write_bytes(migrated)
    stores = open_stores(Settings(data_dir=folder), lambda: NOW_MS, open_engine(f"sqlite:///{path}"))
    write_facility(stores, size)
    start = NOW_MS - DAY_MS - HOUR_MS
    spans = [(start, NOW_MS - DAY_MS + GAP.start * MINUTE_MS), (NOW_MS - DAY_MS + GAP.stop * MINUTE_MS, NOW_MS)]
    for pdu in size.pdus:
        for begin, end in spans if pdu == silent else [(start, NOW_MS)]:
            write_readings(stores, size, begin, end, only=pdu)
    while refresh_minutes(stores, "test"):
        pass
    return stores


@pytest.fixture(scope="module", params=[True, False], ids=["inlets", "outlets"])
def whole(request, tmp_path_factory, migrated_sqlite) -> Iterator[Stores]:
    folder = tmp_path_factory.mktemp("whole")
    stores = _site(folder, migrated_sqlite.read_bytes(), SiteSize(3, request.param))
    yield stores
    stores.engine.dispose()


@pytest.fixture(scope="module", params=[True, False], ids=["inlets", "outlets"])
def partial(request, tmp_path_factory, migrated_sqlite) -> Iterator[Stores]:
    folder = tmp_path_factory.mktemp("partial")
    stores = _site(folder, migrated_sqlite.read_bytes(), SiteSize(3, request.param), silent="pdu-0001-b")
    yield stores
    stores.engine.dispose()


def views(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> tuple[FacilityView, FacilityView]:
    """The page from samples, and from minutes."""
    found = []
    for most in (1000, 0):
        monkeypatch.setattr(facility_day, "MANY_METERS", most)
        found.append(facility_view(read_facility_page(stores, last_day(stores.now_ms()))))
    return found[0], found[1]


def test_a_day_without_gaps(whole: Stores, monkeypatch: pytest.MonkeyPatch):
    samples, minutes = views(whole, monkeypatch)
    assert minutes.total.energy_j == pytest.approx(samples.total.energy_j, rel=1e-9)
    assert minutes.total.max_w == pytest.approx(samples.total.max_w, rel=1e-9)
    assert samples.total.max_at_ms is not None
    assert minutes.total.max_at_ms == samples.total.max_at_ms // MINUTE_MS * MINUTE_MS
    assert (minutes.total.coverage, minutes.total.gaps, minutes.total.is_partial) == (1.0, 0, False)
    assert (minutes.racks, minutes.title, minutes.now) == (samples.racks, samples.title, samples.now)


def test_a_day_in_which_a_meter_was_silent(partial: Stores, monkeypatch: pytest.MonkeyPatch):
    samples, minutes = views(partial, monkeypatch)
    assert minutes.total.energy_j == pytest.approx(samples.total.energy_j, rel=1e-9)
    assert minutes.total.coverage == pytest.approx(samples.total.coverage, abs=1e-6)
    assert minutes.total.gaps == samples.total.gaps == 1
    assert minutes.total.max_w == pytest.approx(samples.total.max_w, rel=0.01)
    assert "Rack-0001" not in str(minutes.figures["day"]["layout"])
    assert any("rack-0001 silent" in one["text"] for one in minutes.figures["day"]["layout"]["annotations"])


def test_the_present_minute_is_no_gap(whole: Stores, monkeypatch: pytest.MonkeyPatch):
    later = open_stores(whole.settings, lambda: NOW_MS + 150_000, whole.engine)
    monkeypatch.setattr(facility_day, "MANY_METERS", 0)
    view = facility_view(read_facility_page(later, last_day(NOW_MS + 150_000)))
    assert (view.total.gaps, view.total.coverage) == (0, 1.0)


def test_what_is_drawn_reaches_the_maximum(whole: Stores, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(facility_day, "MANY_METERS", 0)
    past = read_facility_page(whole, last_day(NOW_MS)).day.minutes
    assert past is not None
    assert len(past.t_ms) == 1440
    assert np.nanmax(past.high_w) >= np.nanmax(past.mean_w)


def test_minutes_computed_in_parts_are_the_same(
    partial: Stores, monkeypatch: pytest.MonkeyPatch, tmp_path, migrated_sqlite
):
    monkeypatch.setattr(minute_curves, "MOST_VALUES", 10_000)  # each rack alone, slices of a few hours
    monkeypatch.setattr(rollup_parts, "VALUES_OF_SLICE", 10_000)
    monkeypatch.setattr(rollup_parts, "MOST_POINTS", 0)
    has_inlets = "pdu-0000-a/inlet:power" in {info.key for info in partial.frames.series("pdu-0000-a")}
    size = SiteSize(3, has_inlets)
    parts = _site(tmp_path, migrated_sqlite.read_bytes(), size, silent="pdu-0001-b")
    for day_ms in (NOW_MS // DAY_MS * DAY_MS - DAY_MS, NOW_MS // DAY_MS * DAY_MS):
        subjects = sorted(partial.minutes.known(day_ms))
        # Without its second PDU nothing of the nodes of rack 1 is known: each has a cord on it.
        assert not has_inlets or "rack-known/rack-0001:power" in subjects
        assert sorted(parts.minutes.known(day_ms)) == subjects
        expected, found = partial.minutes.days(subjects, day_ms), parts.minutes.days(subjects, day_ms)
        for subject in subjects:
            assert found[subject].covered_ms.tolist() == expected[subject].covered_ms.tolist(), subject
            for name in ("integral", "low", "high"):
                one, other = getattr(found[subject], name), getattr(expected[subject], name)
                assert np.allclose(one, other, rtol=1e-12, equal_nan=True), (subject, name)
    parts.engine.dispose()
