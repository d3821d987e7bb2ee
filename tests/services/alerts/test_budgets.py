"""Budgets of energy: which joules count, in which month, and when that is an alert."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from app.domain.accounts import EnergyBudget, parse_budget
from app.errors import Unavailable
from app.presentation.alerts import alert_lines
from app.services.accounts import budgets
from app.services.alerts.alert_list import list_alerts
from app.services.alerts.evaluation import SLOW, evaluate
from app.store.alerts.alert_list import AlertFilter
from app.store.facility import Site
from tests.services.alerts.conftest import Hall

KWH = 3_600_000.0
MIDNIGHT_BERLIN = 1_764_543_600_000  # 2025-12-01T00:00 in Berlin, 23:00 of the day before in UTC
MINUTE, HOUR = 60_000, 3_600_000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("llm 5000 kWh", EnergyBudget("llm", 5000 * KWH)),
        ("deep sky 1.5 MWh", EnergyBudget("deep sky", 1500 * KWH)),
        ("llm 5000", None),
        ("llm 0 kWh", None),
        ("llm -3 kWh", None),
        ("5000 kWh", None),
        ("llm 5000 J", None),
    ],
)
def test_a_budget_has_a_project_and_an_energy(text: str, found: EnergyBudget | None) -> None:
    assert parse_budget(text) == found


class Ledger:
    """Stands in for the accounts: `days` are the energies of project llm by day [kWh]."""

    def __init__(self) -> None:
        self.asked: list[tuple[date, date]] = []
        self.kwh = 0.0
        self.is_ready = True

    def __call__(self, _: object, by: str, per: str, first: date, end: date, site: str | None) -> Any:
        assert (by, per, site) == ("project", "window", "lab")
        self.asked.append((first, end))
        if not self.is_ready:
            raise Unavailable("not computed yet")
        lines = [("jobs", "llm", self.kwh), ("jobs", None, 900.0), ("idle", None, 900.0)]
        return SimpleNamespace(
            lines=[
                SimpleNamespace(line=line, key=key, sums=SimpleNamespace(energy_j=kwh * KWH))
                for line, key, kwh in lines
            ]
        )


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch, hall: Hall) -> Ledger:
    found = Ledger()
    monkeypatch.setattr(budgets, "accounts", found)
    hall.stores.facility.upsert(
        [Site(key="lab", timezone="Europe/Berlin", budgets=("llm 1000 kWh", "climate 1 MWh"))], effective_ms=0
    )
    hall.clock.now = MIDNIGHT_BERLIN - 2 * HOUR  # 30 November in Berlin
    return found


def active(hall: Hall) -> list[tuple[str, int, float | None]]:
    evaluate(hall.stores, "me", SLOW)
    return [(one.subject, one.level, one.value) for one in hall.active.values() if one.rule == "energy_budget"]


def test_a_project_has_an_alert_from_a_share_of_its_budget_until_the_month_ends(hall: Hall, ledger: Ledger) -> None:
    ledger.kwh = 800.0
    assert active(hall) == []  # the share itself may be used
    ledger.kwh = 801.0
    assert active(hall) == [("lab:llm", 1, 80.1)]
    assert ledger.asked == [(date(2025, 11, 1), date(2025, 11, 30))] * 2  # days that are over, by clocks in Berlin
    ledger.kwh = 1000.0
    assert active(hall) == [("lab:llm", 2, 100.0)]
    ledger.is_ready = False  # a correction of the past: neither ends nor opens one
    assert active(hall) == [("lab:llm", 2, 100.0)]
    (line,) = alert_lines(list_alerts(hall.stores, AlertFilter(rule="energy_budget"), 10)[0])
    assert (line.about, line.reason) == ("Project llm close to its energy budget", "1,000 of 1,000 kWh")
    assert line.href == "/jobs?project=llm"
    hall.clock.now = MIDNIGHT_BERLIN + MINUTE
    assert active(hall) == []
    assert len(ledger.asked) == 4  # no day of December is over


def test_without_budgets_no_account_is_read(hall: Hall, ledger: Ledger) -> None:
    hall.stores.facility.upsert([Site(key="lab", timezone="Europe/Berlin")], effective_ms=0)
    assert active(hall) == []
    assert ledger.asked == []
