"""What needs somebody: alerts, who took them on, and the rules they come from."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Path, Query

from app.api.alerts.models import AcknowledgeBody
from app.api.http import Json, Moment, StoresDep, access, wire
from app.services.alerts import alert_list as service
from app.store.alerts import AlertFilter

router = APIRouter(prefix="/api/v1/alerts", tags=["alerts"], dependencies=[access("read")])
changes = APIRouter(prefix="/api/v1/alerts", tags=["alerts"], dependencies=[access("ingest")])
rules = APIRouter(prefix="/api/v1/alerts", tags=["alerts"], dependencies=[access("admin")])
views = APIRouter(prefix="/api/v1/views", tags=["views"], dependencies=[access("read")])


@router.get("", summary="List alerts")
def listing(
    stores: StoresDep,
    state: Annotated[
        Literal["active", "past"], Query(description="active: the worst first, then the newest")
    ] = "active",
    rule: Annotated[str | None, Query(description="name of a rule")] = None,
    level: Annotated[Literal["warn", "crit"] | None, Query(description="of a past one, the highest it reached")] = None,
    rack: str | None = None,
    device: str | None = None,
    node: str | None = None,
    acknowledged: Annotated[bool | None, Query(description="only those somebody took on, or nobody")] = None,
    start: Annotated[Moment | None, Query(alias="from", description="not over before this")] = None,
    end: Annotated[Moment | None, Query(alias="to", description="there before this")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    cursor: Annotated[str | None, Query(description="`next` of the page before")] = None,
) -> Json:
    """Each with its subject, level, value and limit, since when, the worst and when, in words and what to do.

    `no_readings_since`: nothing is told about it now, which neither opens nor closes an alert. `counts` are those of
    all active alerts, whatever is asked.
    """
    grade = None if level is None else int(service.LEVELS[level])
    which = AlertFilter(state == "past", rule, grade, rack, device, node, acknowledged, start, end)
    items, following = service.alert_lines(stores, which, limit, cursor)
    return Json({"items": wire(items), "next": following, "counts": wire(stores.alerts.counts())})


@router.get("/rules", summary="The rules of alerts")
def rule_list(stores: StoresDep) -> Json:
    """Each with its settings, its defaults, and what its thresholds are in ('' where it has none to change)."""
    return Json({"items": wire(service.rule_lines(stores)), "next": None})


@rules.put("/rules/{name}", summary="Set a rule")
def set_rule(stores: StoresDep, name: str, body: Annotated[dict[str, Any], Body()]) -> Json:
    """`enabled`, `warn`, `crit` (null: no critical level), `margin`, `for_s`, `clear_s`; what is left out has its
    default, so `{}` brings all of them back.
    """
    return Json(wire(service.set_rule(stores, name, body)))


@changes.post("/{id}/acknowledge", summary="Take an alert on")
def acknowledge(stores: StoresDep, id: Annotated[int, Path(ge=1, lt=2**63)], body: AcknowledgeBody) -> Json:
    """It stays active until it is over. 409 where it is over already; said again, the newest word counts."""
    return Json(wire(service.acknowledge(stores, id, body.by, body.note)))


@views.get("/alerts", summary="What needs somebody")
def view(stores: StoresDep) -> Json:
    """Active alerts, the latest past ones, and the rules."""
    return Json(wire(service.alerts_view(stores)))
