"""Routes of silences and maintenance windows."""

from __future__ import annotations

from fastapi import APIRouter

from app.api.alerts.models import AlertId, SilenceBody
from app.api.http import ActorDep, Json, Page, StoresDep, access
from app.presentation.alerts import SilenceLine, silence_line
from app.services import alerts as service
from app.services.access import record

router = APIRouter(prefix="/api/v1/alerts/silences", tags=["alerts"], dependencies=[access("read")])
changes = APIRouter(prefix="/api/v1/alerts/silences", tags=["alerts"], dependencies=[access("operate")])


@router.get("", summary="List silences", response_model=Page[SilenceLine])
def list_silences(stores: StoresDep) -> Json:
    """Return the silences that apply now or later."""
    now_ms = stores.now_ms()
    return Json({"items": [silence_line(one, now_ms) for one in service.silences_now(stores)], "next": None})


@changes.post("", summary="Add a silence", status_code=201, response_model=SilenceLine)
def add_silence(stores: StoresDep, actor: ActorDep, body: SilenceBody) -> Json:
    """From `start` to `end` no receiver is sent new alerts that match; the lists show them all the same.

    What opened and ended in that time is not sent later either; what is still active at its end is sent then.
    """
    body.by = actor.signature(body.by)
    made = service.add_silence(stores, body.to_silence())
    record(stores, actor, "silence.create", str(made.id), None, body.model_dump(mode="json"))
    return Json(silence_line(made, stores.now_ms()), 201)


@changes.delete("/{id}", summary="End a silence", response_model=SilenceLine)
def end_silence(stores: StoresDep, actor: ActorDep, id: AlertId) -> Json:
    """Let a silence end now; one that has not begun never applies. 409 if it is over."""
    ended = service.end_silence(stores, id)
    record(stores, actor, "silence.end", str(id))
    return Json(silence_line(ended, stores.now_ms()))
