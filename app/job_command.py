"""`wattline run -- CMD`: a job registered around a command."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from getpass import getuser
from typing import Any

import httpx

from app.errors import Invalid, Unavailable, WattlineError

_PATIENCE_S = 15.0
_SETTLE_S = 20.0


def run_command(
    url: str,
    token: str,
    command: Sequence[str],
    name: str | None,
    tags: Sequence[str],
    node: str | None,
    say: Callable[[str], None],
) -> int:
    """Run `command` as a job of the server at `url`; its exit status is returned.

    Raises
    ------
    Invalid, Unavailable
        A tag that is not k=v; a server that refuses the job or does not answer. The command has not run then.
    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with httpx.Client(base_url=url, headers=headers, timeout=_PATIENCE_S) as client:
        job = _register(client, command, name, _tags(tags), node or socket.gethostname())
        status = _run(command)
        say(_conclude(client, job["id"], status))
    return status


def _tags(pairs: Sequence[str]) -> dict[str, str]:
    tags = dict(pair.partition("=")[::2] for pair in pairs)
    for pair in pairs:
        if not pair.partition("=")[2]:
            raise Invalid(f"tag {pair!r} is not k=v", "write it like --tag batch_size=512")
    return tags


def _register(
    client: httpx.Client, command: Sequence[str], name: str | None, tags: dict[str, str], node: str
) -> dict[str, Any]:
    body = {
        "name": name or command[0],
        "user": getuser(),
        "nodes": [{"node": node}],
        "start": _now(),
        "state": "running",
        "tags": tags,
    }
    return _answer(client, "POST", "/api/v1/jobs", body)


def _run(command: Sequence[str]) -> int:
    process = subprocess.Popen(list(command))  # noqa: S603
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)


def _conclude(client: httpx.Client, job_id: str, status: int) -> str:
    state = "completed" if status == 0 else "failed"
    _answer(client, "PATCH", f"/api/v1/jobs/{job_id}", {"end": _now(), "state": state})
    time.sleep(_SETTLE_S)  # the readings of the last moments are still on their way
    summary = _answer(client, "GET", f"/api/v1/jobs/{job_id}", None).get("summary") or {}
    if not summary.get("coverage"):
        return f"job {job_id}: no meter covered this run"
    power = summary["power_w"]
    return (
        f"job {job_id}: {summary['energy_kwh']:.4g} kWh in {summary['duration_s']:.0f} s, mean {power['mean']:.0f} W, "
        f"max {power['max']:.0f} W, coverage {100 * summary['coverage']:.1f} %, by {summary['source']}"
    )


def _answer(client: httpx.Client, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
    try:
        response = client.request(method, path, json=body)
    except httpx.HTTPError as error:
        raise Unavailable(f"{client.base_url} does not answer: {error}", "set WATTLINE_URL or --url") from error
    if response.is_error:
        problem: WattlineError = Invalid(response.text)
        if response.headers.get("content-type", "").startswith("application/problem+json"):
            content = response.json()
            problem = Invalid(content.get("detail", ""), content.get("hint", ""))
        raise problem
    content = response.json()
    assert isinstance(content, dict)
    return content


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
