"""`wattline run -- CMD`: a job registered around a command."""

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
"""Between attempts to tell the end of a job: a server that restarts meanwhile must not leave it open."""
_LATER = (502, 503, 504)
_NO_TOKEN = 401
_NOT_FOUND, _NOT_RUN = 127, 126
"""What a shell answers for a command that does not exist, or that may not be run."""


@dataclass(frozen=True)
class RunAs:
    """What is told of a run.

    `tags`, `per` (units of work): k=v. `gpus`, `cores`: what it holds of a node.
    `within`: the scheduler's number of the job in which it runs.
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
        """Tags, those among them that count work."""
        return tags_of(self.tags) | {f"per:{unit}": n for unit, n in tags_of(self.per, "--per samples=1.2e6").items()}

    @property
    def held(self) -> dict[str, Any]:
        """The node, as the API takes it."""
        told = {"gpus": None if self.gpus is None else list(self.gpus), "cores": self.cores}
        return {"node": self.node or socket.gethostname()} | {k: v for k, v in told.items() if v is not None}


def run_command(url: str, token: str, command: Sequence[str], run: RunAs, say: Callable[[str], None]) -> int:
    """Run `command` as a job of the server at `url`; its exit status is returned.

    SIGTERM is passed on to it, so that a cancelled run ends its job too. Once it has run its status is what
    counts: a server that is lost then is said, not raised.

    Raises
    ------
    Invalid, Unavailable
        A tag that is not k=v; a server that refuses the job or does not answer. The command has not run then.
    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with httpx.Client(base_url=url, headers=headers, timeout=_PATIENCE_S) as client:
        job = _register(client, command, run)
        status = _run(command, say)
        end = _now()
        try:
            say(_conclude(client, job["id"], status, end))
        except WattlineError as error:
            say(f"job {job['id']}: its end ({end}) or energy is not known to the server: {error}")
    return status


def tags_of(pairs: Sequence[str], example: str = "--tag batch_size=512") -> dict[str, str]:
    """Tags of `k=v` options; raises Invalid where one is not."""
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
    with _passing_on(process):
        status = process.wait()
    return status if status >= 0 else 128 - status


@contextlib.contextmanager
def _passing_on(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """SIGTERM goes to `process`; the terminal's Ctrl-C reaches it without us, and does not end us before it."""
    terminate = signal.signal(signal.SIGTERM, lambda number, _: process.send_signal(number))
    interrupt = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, terminate)
        signal.signal(signal.SIGINT, interrupt)


def _conclude(client: httpx.Client, job_id: str, status: int, end: str) -> str:
    insist(client, f"/api/v1/jobs/{job_id}", {"end": end, "state": "completed" if status == 0 else "failed"})
    time.sleep(_SETTLE_S)  # the readings of the last moments are still on their way
    summary = answer(client, "GET", f"/api/v1/jobs/{job_id}", None).get("summary") or {}
    if not summary.get("coverage"):
        why = "other jobs were on its node: tell what it holds (--gpus, --cores)" if summary.get("shared") else None
        return f"job {job_id}: {why or 'no meter covered this run'}"
    power = summary["power_w"]
    return (
        f"job {job_id}: {summary['energy_kwh']:.4g} kWh in {summary['duration_s']:.0f} s, mean {power['mean']:.0f} W, "
        f"max {power['max']:.0f} W, coverage {100 * summary['coverage']:.1f} %, by {summary['source']}"
        f"{', its share of a shared node' if summary.get('shared') else ''}{_per(summary)}"
    )


def _per(summary: dict[str, Any]) -> str:
    found = {unit: told["j_per"] for unit, told in (summary.get("per") or {}).items()}
    return "".join(f", {joules:.4g} J per {unit}" for unit, joules in found.items() if joules is not None)


def insist(client: httpx.Client, path: str, body: dict[str, Any]) -> None:
    """PATCH until the server takes it, for a minute; raises as `answer` does then."""
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
    """The server's answer to one request.

    Raises
    ------
    Unavailable
        It does not answer, or says that it will later.
    Invalid
        It refuses: its own words and hint.
    """
    try:
        response = client.request(method, path, json=body, params=query)
    except httpx.HTTPError as error:
        raise Unavailable(f"{client.base_url} does not answer: {error}", "set WATTLINE_URL or --url") from error
    if response.is_error:
        kind = Unavailable if response.status_code in _LATER else Invalid
        problem = {"detail": response.text or f"the server answered {response.status_code}"}
        if response.headers.get("content-type", "").startswith("application/problem+json"):
            problem = response.json()
        raise kind(problem["detail"], _way_out(problem))
    content = response.json()
    assert isinstance(content, dict)
    return content


def _way_out(problem: dict[str, Any]) -> str:
    """The server's hint in the words of the command line."""
    if problem.get("status") == _NO_TOKEN:
        return "set WATTLINE_TOKEN or --token to a token of the server that may"
    if "there is no node" in problem["detail"]:
        return "--node names this host as the facility does; GET /api/v1/nodes lists the nodes there are"
    hint = problem.get("hint", "")
    assert isinstance(hint, str)
    return hint


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
