"""Run a command as a registered job."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from getpass import getuser
from typing import Any

import httpx

from app.errors import Invalid, Unavailable, WattlineError

_PATIENCE_S = 15.0
_SETTLE_S = 20.0
_PAUSES_S = (1.0, 4.0, 15.0, 40.0)
"""Pauses between attempts to report the end of a job, long enough for a restart of the server."""
_LATER = (502, 503, 504)
_NO_TOKEN = 401
_NOT_FOUND, _NOT_RUN = 127, 126
"""Exit status of a shell for a missing command, and for one that cannot be executed."""


@dataclass(frozen=True)
class RunAs:
    """Options of a run.

    `tags`, `per` (units of work): k=v. `gpus`, `cores`: its part of a node.
    `within`: number of the scheduler's job that it is part of.
    """

    name: str | None = None
    tags: Sequence[str] = ()
    per: Sequence[str] = ()
    node: str | None = None
    gpus: Sequence[str] | None = None
    cores: int | None = None
    within: str | None = None

    @property
    def all_tags(self) -> dict[str, str]:
        """Return all tags, including units of work."""
        return tags_of(self.tags) | {f"per:{unit}": n for unit, n in tags_of(self.per, "--per samples=1.2e6").items()}

    @property
    def held(self) -> dict[str, Any]:
        """Return the node in the form of the API."""
        part = {"gpus": None if self.gpus is None else list(self.gpus), "cores": self.cores}
        return {"node": self.node or socket.gethostname()} | {k: v for k, v in part.items() if v is not None}


def run_command(url: str, token: str, command: Sequence[str], run: RunAs, say: Callable[[str], None]) -> int:
    """Run `command` as a job of the server at `url` and return its exit status.

    SIGTERM is passed on to the command, so that a cancelled run ends its job too. Once the command has run, an
    unreachable server is reported, not raised.

    Raises
    ------
    Invalid, Unavailable
        A tag is not k=v; the server rejects the job or does not respond. The command is not run then.
    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with httpx.Client(base_url=url, headers=headers, timeout=_PATIENCE_S) as client:
        job = _register(client, command, run)
        status = _run(command, say)
        end = _now()
        try:
            say(_conclude(client, job["id"], status, end))
        except WattlineError as error:
            say(f"job {job['id']}: cannot report its end ({end}) or read its energy: {error}")
    return status


def tags_of(pairs: Sequence[str], example: str = "--tag batch_size=512") -> dict[str, str]:
    """Return the tags of `k=v` options; raise Invalid for any other form."""
    tags = dict(pair.partition("=")[::2] for pair in pairs)
    for pair in pairs:
        if not pair.partition("=")[2]:
            raise Invalid(f"tag {pair!r} is not k=v", f"write it like {example}")
    return tags


def _register(client: httpx.Client, command: Sequence[str], run: RunAs) -> dict[str, Any]:
    body = {
        "name": run.name or command[0],
        "user": getuser(),
        "nodes": [run.held],
        "start": _now(),
        "state": "running",
        "tags": run.all_tags,
        "within": run.within or None,
    }
    return answer(client, "POST", "/api/v1/jobs", body)


def _run(command: Sequence[str], say: Callable[[str], None]) -> int:
    try:
        process = subprocess.Popen(list(command))  # noqa: S603
    except OSError as error:
        say(f"{command[0]}: {error.strerror}")
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_RUN
    with _passing_signals(process):
        status = process.wait()
    return status if status >= 0 else 128 - status


@contextlib.contextmanager
def _passing_signals(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Pass SIGTERM on to `process`. Ctrl-C in a terminal reaches it directly and is ignored here."""
    terminate = signal.signal(signal.SIGTERM, lambda number, _: process.send_signal(number))
    interrupt = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, terminate)
        signal.signal(signal.SIGINT, interrupt)


def _conclude(client: httpx.Client, job_id: str, status: int, end: str) -> str:
    insist(client, f"/api/v1/jobs/{job_id}", {"end": end, "state": "completed" if status == 0 else "failed"})
    time.sleep(_SETTLE_S)  # the last readings are still being delivered
    summary = answer(client, "GET", f"/api/v1/jobs/{job_id}", None).get("summary") or {}
    if not summary.get("coverage"):
        why = (
            "other jobs ran on its node: give its part of the node with --gpus and --cores"
            if summary.get("shared")
            else None
        )
        return f"job {job_id}: {why or 'no meter covered this run'}"
    power = summary["power_w"]
    return (
        f"job {job_id}: {summary['energy_kwh']:.4g} kWh in {summary['duration_s']:.0f} s, mean {power['mean']:.0f} W, "
        f"max {power['max']:.0f} W, coverage {100 * summary['coverage']:.1f} %, by {summary['source']}"
        f"{', its share of a shared node' if summary.get('shared') else ''}{_per(summary)}"
    )


def _per(summary: dict[str, Any]) -> str:
    found = {unit: figures["j_per"] for unit, figures in (summary.get("per") or {}).items()}
    return "".join(f", {joules:.4g} J per {unit}" for unit, joules in found.items() if joules is not None)


def insist(client: httpx.Client, path: str, body: dict[str, Any]) -> None:
    """Repeat a PATCH for a minute until the server accepts it; then raise as `answer` does."""
    for pause_s in _PAUSES_S:
        try:
            answer(client, "PATCH", path, body)
        except Unavailable:
            time.sleep(pause_s)
        else:
            return
    answer(client, "PATCH", path, body)


def answer(
    client: httpx.Client,
    method: str,
    path: str,
    body: dict[str, Any] | None = None,
    query: Any = None,  # noqa: ANN401
) -> dict[str, Any]:
    """Send one request and return the response of the server.

    Raises
    ------
    Unavailable
        The server does not respond, or asks to retry later.
    Invalid
        The server rejects the request, with its detail and hint.
    """
    try:
        response = client.request(method, path, json=body, params=query)
    except httpx.HTTPError as error:
        raise Unavailable(f"{client.base_url} does not respond: {error}", "set WATTLINE_URL or --url") from error
    if response.is_error:
        kind = Unavailable if response.status_code in _LATER else Invalid
        problem = {"detail": response.text or f"the server answered {response.status_code}"}
        if response.headers.get("content-type", "").startswith("application/problem+json"):
            problem = response.json()
        raise kind(problem["detail"], _suggested_fix(problem))
    content = response.json()
    assert isinstance(content, dict)
    return content


def _suggested_fix(problem: dict[str, Any]) -> str:
    """Return the hint of the server in terms of the command line."""
    if problem.get("status") == _NO_TOKEN:
        return "set WATTLINE_TOKEN or --token to a token with access"
    if "there is no node" in problem["detail"]:
        return "set --node to the key of this host in the facility; GET /api/v1/nodes lists all nodes"
    hint = problem.get("hint", "")
    assert isinstance(hint, str)
    return hint


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
