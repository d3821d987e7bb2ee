"""Run a command as a job. Whatever becomes of the server, the command runs and its exit status is returned."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from getpass import getuser
from typing import Any

import httpx

from app.cli.run.api_calls import answer, open_client
from app.cli.run.delivery import deliver, deliver_spool, register
from app.cli.run.process import SIGNALLED, holding_signals, is_asked_to_stop, run_process, take_signal
from app.cli.run.result import RunResult
from app.cli.run.spool import RunRecord, Spool
from app.errors import Invalid, Unavailable, WattlineError

_REGISTER_S = 5.0
"""How long the command waits for its registration."""
_PATIENCE_S = 5.0
_PAUSES_S = (1.0, 4.0, 15.0, 40.0)
"""Pauses between attempts to report the end of a registered job, long enough for a restart of the server."""
_EARLIER_S = 10.0
"""How long the delivery of earlier runs may take."""

Say = Callable[[str], None]


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


def tags_of(pairs: Sequence[str], example: str = "--tag batch_size=512") -> dict[str, str]:
    """Return the tags of `k=v` options; raise Invalid for any other form."""
    tags = dict(pair.partition("=")[::2] for pair in pairs)
    for pair in pairs:
        if not pair.partition("=")[2]:
            raise Invalid(f"tag {pair!r} is not k=v", f"write it like {example}")
    return tags


@dataclass
class JobRun:
    """One run of a command.

    Attributes
    ----------
    url, token: of the server. spool: where the run is kept while the server does not know it.
    is_strict: do not run the command unless its job is registered. say: prints a line to the user.
    settle_s: how long to wait for the last readings at the end.
    """

    url: str
    token: str
    spool: Spool
    say: Say
    is_strict: bool = False
    settle_s: float = 20.0

    def run(self, command: Sequence[str], run: RunAs) -> RunResult:
        """Run `command` as a job and return what became of it.

        Raises
        ------
        Invalid
            A tag is not k=v. The command is not run.
        WattlineError
            `is_strict`, and the server does not respond or rejects the job. The command is not run.
        """
        record = RunRecord(self.url, _job(command, run))
        with holding_signals() as held:
            registration = _Registration(self.url, self.token, record.job)
            registration.wait(_REGISTER_S)
            if self.is_strict:
                registration.insist_on_success()
            elif registration.problem:
                self.say(f"not registered: {registration.problem}; the command runs and is registered afterwards")
            stopped_by = take_signal(0)
            status = run_process(command, held) if stopped_by is None else SIGNALLED + stopped_by
            record.job |= {"end": _now(), "state": "completed" if status == 0 else "failed"}
            try:
                return self._conclude(record, registration, status)
            except Exception as error:  # whatever it is, the command has run
                with suppress(OSError):
                    self.spool.release(record)
                return _result(record, status, problem=f"{type(error).__name__}: {error}")

    def _conclude(self, record: RunRecord, registration: _Registration, status: int) -> RunResult:
        registration.wait(_PATIENCE_S)
        record.id = registration.id
        self._keep(record)
        with open_client(self.url, self.token, _PATIENCE_S) as client:
            try:
                job = self._deliver(client, record)
            except WattlineError as error:
                record.problem = f"{error}: {error.hint}" if error.hint else str(error)
                with suppress(OSError):
                    self.spool.keep(record)
                    self.spool.release(record)
                return _result(record, status, problem=record.problem)
            with suppress(OSError):
                self.spool.drop(record)
            record.id, record.path = job, None
            self._deliver_earlier(client)
            return self._measured(client, record, status)

    def _keep(self, record: RunRecord) -> None:
        try:
            self.spool.keep(record)
        except OSError as error:
            record.path = None
            self.say(f"this run cannot be kept in {self.spool.folder}: {error.strerror}")

    def _deliver(self, client: httpx.Client, record: RunRecord) -> str:
        for pause_s in _PAUSES_S if record.id else ():
            try:
                return deliver(client, record)
            except Unavailable:
                if take_signal(pause_s) is not None:
                    break
        return deliver(client, record)

    def _deliver_earlier(self, client: httpx.Client) -> None:
        with suppress(OSError):
            earlier = deliver_spool(client, self.spool, self.url, _EARLIER_S)
            if earlier.sent:
                self.say(f"earlier runs registered: {earlier.sent}")
            if earlier.waiting:
                self.say(f"earlier runs that wait: {earlier.waiting} ({earlier.problem}); see `wattline spool`")

    def _measured(self, client: httpx.Client, record: RunRecord, status: int) -> RunResult:
        if not is_asked_to_stop():
            take_signal(self.settle_s)  # the last readings are still being delivered
        try:
            job = answer(client, "GET", f"/api/v1/jobs/{record.id}")
        except WattlineError as error:
            return _result(record, status, problem=f"cannot read its energy: {error}")
        return _result(record, status, job.get("summary") or {})


class _Registration:
    """Registers a job in a thread, so that a server that hangs does not delay the command for long."""

    def __init__(self, url: str, token: str, job: dict[str, Any]) -> None:
        self.id: str | None = None
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._register, args=(url, token, dict(job)), daemon=True)
        self._thread.start()

    def _register(self, url: str, token: str, job: dict[str, Any]) -> None:
        try:
            with open_client(url, token) as client:
                self.id = register(client, job)
        except Exception as error:  # an address or token that the library refuses, a broken certificate store …
            self._error = error

    def wait(self, within_s: float) -> None:
        """Wait for the answer, but not longer than this or a signal."""
        until_s = time.monotonic() + within_s
        while self._thread.is_alive() and time.monotonic() < until_s and not is_asked_to_stop():
            self._thread.join(0.05)

    @property
    def problem(self) -> str:
        """Why the job is not registered; empty if it is."""
        if self.id is not None:
            return ""
        if isinstance(self._error, WattlineError):
            return f"{self._error} ({self._error.hint})" if self._error.hint else str(self._error)
        return f"{self._error}" if self._error else f"no answer within {_REGISTER_S:g} s"

    def insist_on_success(self) -> None:
        """Raise the reason if the job is not registered."""
        if isinstance(self._error, WattlineError):
            raise self._error
        if self.problem:
            raise Unavailable(self.problem, "omit --require to run the command anyway")


def _job(command: Sequence[str], run: RunAs) -> dict[str, Any]:
    return {
        "name": run.name or command[0],
        "user": _user(),
        "nodes": [run.held],
        "start": _now(),
        "state": "running",
        "tags": run.all_tags,
        "within": run.within or None,
    }


def _user() -> str:
    try:
        return getuser()
    except (KeyError, OSError):  # a container without an entry for this user
        return str(os.getuid())


def _result(record: RunRecord, status: int, summary: dict[str, Any] | None = None, *, problem: str = "") -> RunResult:
    kept = "" if record.path is None else str(record.path)
    return RunResult(status, record.url, record.job["start"], record.job["end"], record.id, summary, problem, kept)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def print_to_stderr(line: str) -> None:
    """Print a line beside the output of the command; never wrapped, and never an error."""
    with suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)  # noqa: T201
