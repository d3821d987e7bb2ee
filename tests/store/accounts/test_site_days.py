"""Sums of days of a site are kept until something changes them, on both engines."""

import pytest

from app.store.accounts import NodeDay, NodeDayStore, SiteDay, SiteDayStore, touch
from app.store.database import writing
from app.store.facility import Node, Site
from app.store.facility.facility import FacilityStore

DAY = 86_400_000


@pytest.fixture
def days(engine):
    nodes = [Node(key="n1", site="a"), Node(key="n2", site="b")]
    FacilityStore(engine, lambda: 9 * DAY).upsert([Site(key="a"), Site(key="b"), *nodes])
    NodeDayStore(engine).save([NodeDay(key, 0, DAY, "x", 2 * DAY, {}) for key in ("n1", "n2")])
    return SiteDayStore(engine)


def change(engine, node, start_ms=0, end_ms=DAY):
    with writing(engine) as connection:
        touch(connection, [node], start_ms, end_ms, 3 * DAY)


def summed(days, site, content):
    days.save(SiteDay(site, 0, DAY, "basis", content), days.revision_of(site, 0, DAY))


def test_sums_are_outdated_by_changes_at_their_site_and_time_alone(engine, days):
    assert days.revision_of("a", 0, DAY) == 0
    assert days.fresh("a", 0, 9 * DAY) == {}
    summed(days, "a", {"node_j": 0.1})
    summed(days, "b", {"node_j": 0.2})
    change(engine, "n1", DAY, 2 * DAY)
    change(engine, "n2")
    assert days.fresh("a", 0, 9 * DAY) == {0: SiteDay("a", 0, DAY, "basis", {"node_j": 0.1})}
    assert (days.fresh_bases("a", 0, DAY), days.fresh_bases("b", 0, DAY)) == ({0: "basis"}, {})
    change(engine, "n1")
    assert days.fresh("a", 0, 9 * DAY) == {}
    summed(days, "a", {"node_j": 0.3})
    assert days.fresh("a", 0, 9 * DAY)[0].content == {"node_j": 0.3}


def test_what_changed_while_a_day_was_summed_is_not_stored(engine, days):
    revision = days.revision_of("a", 0, DAY)
    change(engine, "n1")
    days.save(SiteDay("a", 0, DAY, "basis", {}), revision)
    assert days.fresh("a", 0, DAY) == {}


def test_a_day_of_another_length_is_another_day(days):
    summed(days, "a", {})
    assert days.revision_of("a", 0, DAY - 3_600_000) == 1  # the zone of the site was corrected
    assert days.fresh("a", 0, DAY) == {}
