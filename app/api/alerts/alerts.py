"""Routes of alerts: lists, acknowledgement and rules."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, Query

from app.api.alerts.models import RULE_BODY, AcknowledgeBody, AlertId
from app.api.http import ActorDep, Json, Moment, Page, Paged, StoresDep, access, in_shown_zone
from app.api.live import get_live
from app.presentation.alerts import (
    AlertLine,
    AlertsView,
    UndecidedLine,
    alert_line,
    alert_lines,
    alerts_view,
    undecided_lines,
)
from app.services import alerts as service
from app.services.access import record
from app.services.alerts import RuleLine
from app.services.live import LiveView
from app.store.alerts import AlertCounts, AlertFilter

router = APIRouter(prefix="/api/v1/alerts", tags=["alerts"], dependencies=[access("read")])
changes = APIRouter(prefix="/api/v1/alerts", tags=["alerts"], dependencies=[access("operate")])
rules = APIRouter(prefix="/api/v1/alerts", tags=["alerts"], dependencies=[access("admin")])
views = APIRouter(prefix="/api/v1/views", tags=["views"], dependencies=[access("read"), in_shown_zone()])

Live = Annotated[LiveView, Depends(get_live)]


class AlertList(Paged):
    """A part of the list of alerts, how many are active, and the rules that wait for readings."""

    items: list[AlertLine]
    counts: AlertCounts
    undecided: list[UndecidedLine]


@router.get("", summary="List alerts", response_model=AlertList)
def list_alerts(
    stores: StoresDep,
    live: Live,
    state: Annotated[
        Literal["active", "past"], Query(description="active alerts are sorted by level, then newest first")
    ] = "active",
    rule: Annotated[str | None, Query(description="name of a rule")] = None,
    level: Annotated[Literal["warn", "crit"] | None, Query(description="of past alerts the highest level")] = None,
    rack: str | None = None,
    device: str | None = None,
    node: str | None = None,
    acknowledged: Annotated[bool | None, Query(description="only acknowledged alerts, or only the others")] = None,
    start: Annotated[Moment | None, Query(alias="from", description="active at or after this time")] = None,
    end: Annotated[Moment | None, Query(alias="to", description="opened before this time")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    cursor: Annotated[str | None, Query(description="`next` of the previous page")] = None,
) -> Json:
    """Return each alert with its subject, level, value and limit, start, worst value, description and suggested action.

    `no_readings_since`: its readings, or the part named by `missing`, are missing now. A value without that part is a
    lower bound: it opens an alert and closes none. `undecided`: rules that wait for readings. Both `counts` and
    `undecided` are independent of the filters.
    """
    grade = None if level is None else int(service.LEVELS[level])
    which = AlertFilter(state == "past", rule, grade, rack, device, node, acknowledged, start, end)
    items, following = service.list_alerts(stores, which, limit, cursor)
    now, latest = live.shown()
    waiting = undecided_lines(service.undecided_rules(stores, now, latest))
    counts = stores.alerts.counts()
    responding = service.responding_again(stores, items, latest)
    lines = alert_lines(items, service.silences_now(stores), stores.now_ms(), responding)
    return Json({"items": lines, "next": following, "counts": counts, "undecided": waiting})


@router.get("/rules", summary="List alert rules", response_model=Page[RuleLine])
def list_alert_rules(stores: StoresDep) -> Json:
    """Return each rule with its settings, its defaults, and what its thresholds mean ('' for a rule without any)."""
    return Json({"items": service.rule_lines(stores), "next": None})


@rules.put("/rules/{name}", summary="Set a rule", response_model=RuleLine, openapi_extra=RULE_BODY)
def set_alert_rule(stores: StoresDep, actor: ActorDep, name: str, body: Annotated[dict[str, Any], Body()]) -> Json:
    """Set `enabled`, `warn`, `crit` (null: no critical level), `margin`, `for_s`, `clear_s`.

    Omitted settings return to their defaults, so `{}` resets the rule.
    """
    before = next((line for line in service.rule_lines(stores) if line.name == name), None)
    line = service.set_rule(stores, name, body)
    record(stores, actor, "alert.rule", name, _settings(before), _settings(line))
    return Json(line)


@changes.post("/{id}/acknowledge", summary="Acknowledge an alert", response_model=AlertLine)
def acknowledge_alert(stores: StoresDep, actor: ActorDep, id: AlertId, body: AcknowledgeBody) -> Json:
    """Acknowledge an alert; it stays active until it ends. 409 if it has ended. A later acknowledgement replaces it."""
    body.by = actor.signature(body.by)
    line = alert_line(service.acknowledge(stores, id, body.by, body.note))
    record(stores, actor, "alert.acknowledge", str(id), None, body.model_dump())
    return Json(line)


@changes.post("/{id}/close", summary="Close an event", response_model=AlertLine)
def close_alert(stores: StoresDep, actor: ActorDep, id: AlertId, body: AcknowledgeBody) -> Json:
    """End the alert of a device event whose end the device did not report.

    409 for alerts of other rules: they end when their cause is over. The same event may open another alert.
    """
    body.by = actor.signature(body.by)
    line = alert_line(service.close_event(stores, id, body.by, body.note))
    record(stores, actor, "alert.close", str(id), None, body.model_dump())
    return Json(line)


@views.get("/alerts", summary="Alerts page", response_model=AlertsView)
def get_alerts_page(
    stores: StoresDep,
    live: Live,
    start: Annotated[Moment | None, Query(alias="from", description="past alerts active at or after this time")] = None,
    end: Annotated[Moment | None, Query(alias="to", description="past alerts opened before this time")] = None,
) -> Json:
    """Return active alerts, the latest past ones, the rules, and those that wait for readings."""
    return Json(alerts_view(service.read_alerts_page(stores, *live.shown(), start, end)))


def _settings(line: RuleLine | None) -> dict[str, Any] | None:
    """Return the settings of a rule, for the audit log."""
    return None if line is None else asdict(line.settings)
