"""Routes of the receivers of alerts."""

from __future__ import annotations

from fastapi import APIRouter, Request
from typing_extensions import TypedDict

from app.api.http import ActorDep, Json, Page, StoresDep, access
from app.presentation.alerts import RENDERERS, ReceiverView, receiver_view
from app.services import alerts as service
from app.services.access import record

router = APIRouter(prefix="/api/v1/alerts/receivers", tags=["alerts"], dependencies=[access("read")])
changes = APIRouter(prefix="/api/v1/alerts/receivers", tags=["alerts"], dependencies=[access("admin")])


class ReceiverTest(TypedDict):
    """Whether a receiver accepted a test message, and what it answered."""

    accepted: bool
    answer: str


@router.get("", summary="List receivers of alerts", response_model=Page[ReceiverView])
def list_receivers(stores: StoresDep) -> Json:
    """Return each receiver with its last answer and how many alerts wait for it. Addresses are not shown."""
    return Json({"items": [receiver_view(one) for one in service.receiver_lines(stores)], "next": None})


@changes.post("/{name}/test", summary="Send a test message", response_model=ReceiverTest)
def send_test_message(request: Request, stores: StoresDep, actor: ActorDep, name: str) -> Json:
    """Send a receiver a test message now, and return its answer. Silences and quiet hours do not apply."""
    answer = service.send_test(stores, name, RENDERERS, request.app.state.address)
    record(stores, actor, "alert.test", name, None, {"accepted": answer.is_accepted})
    return Json({"accepted": answer.is_accepted, "answer": answer.text})
