"""Deliver runs to the server, from the run itself or later from the spool."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import httpx

from app.cli.run.api_calls import answer
from app.cli.run.spool import RunRecord, Spool
from app.errors import Forbidden, NotFound, Unauthorized, Unavailable, WattlineError

_JOBS = "/api/v1/jobs"


class Delivered(NamedTuple):
    """How many records of a spool were delivered, and how many wait with what is wrong with the last of them."""

    sent: int
    waiting: int
    problem: str = ""


def deliver(client: httpx.Client, record: RunRecord) -> str:
    """Report a run that has ended and return its id.

    Raises
    ------
    WattlineError
        The server does not respond or rejects it.
    """
    known = record.id or _registered(client, record)
    if known is not None:
        try:
            answer(client, "PATCH", f"{_JOBS}/{known}", record.end)
        except NotFound:
            if record.id is None:
                raise
        else:
            return known
    return register(client, record.job)


def register(client: httpx.Client, job: dict[str, Any]) -> str:
    """Register a job and return its id; as the user of the token where the Unix user is another, such as root in a
    container.

    Raises
    ------
    WattlineError
        The server does not respond or rejects it.
    """
    try:
        return str(answer(client, "POST", _JOBS, job)["id"])
    except Forbidden:
        own = answer(client, "GET", "/api/v1/me")
        if not own.get("is_user") or own["name"] == job["user"]:
            raise
        return str(answer(client, "POST", _JOBS, {**job, "user": own["name"]})["id"])


def _registered(client: httpx.Client, record: RunRecord) -> str | None:
    """Return the id of a run whose registration arrived although its answer did not."""
    start = datetime.fromisoformat(record.job["start"])
    query: dict[str, Any] = {"from": _text(start), "to": _text(start + timedelta(seconds=1)), "limit": 200}
    query["node"] = record.job["nodes"][0]["node"]
    try:
        found = answer(client, "GET", _JOBS, query=query)["items"]
    except (Forbidden, Unauthorized):  # a token that may only register jobs
        return None
    same = [one["id"] for one in found if one["name"] == record.job["name"] and _is_at(one["start"], start)]
    return str(same[0]) if same else None


def _is_at(text: str, moment: datetime) -> bool:
    return datetime.fromisoformat(text) == moment


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def deliver_spool(client: httpx.Client, spool: Spool, url: str, within_s: float) -> Delivered:
    """Deliver the waiting runs of a server, as many as the time allows; rejected ones stay with the reason.

    Raises
    ------
    OSError
        The spool cannot be read or written.
    """
    until_s = time.monotonic() + within_s
    with spool.alone() as is_mine:
        waiting = [record for record in spool.records() if record.url == url] if is_mine else []
        sent = 0
        for record in waiting:
            if time.monotonic() > until_s:
                break
            try:
                deliver(client, record)
            except Unavailable as problem:
                return Delivered(sent, len(waiting) - sent, str(problem))
            except WattlineError as problem:
                record.problem = f"{problem}: {problem.hint}" if problem.hint else str(problem)
                spool.keep(record)  # now the last: it does not keep others waiting
            else:
                spool.drop(record)
                sent += 1
    rejected = [record.problem for record in waiting if record.problem]
    return Delivered(sent, len(waiting) - sent, rejected[-1] if rejected else "")
