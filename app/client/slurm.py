"""Jobs of Slurm sent to a server, and the importer that keeps doing so."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from app.errors import Invalid, Unavailable, WattlineError
from app.importers.slurm import ASKED, pieces

_PATH = "/api/v1/jobs/slurm"
_LATER = (502, 503, 504)
_OVERLAP_S = 3600
"""A round asks for so much of the time before the last one again: accounting may learn of a job late."""
_LONGEST_PAUSE_S = 300.0
_COMMAND_S = 300.0

Say = Callable[[str], None]


@dataclass
class SlurmImportReport:
    """What the server made of the jobs it was sent."""

    created: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)

    def add(self, report: Mapping[str, Any]) -> None:
        """Add an answer."""
        self.created += report["created"]
        self.changed += report["changed"]
        self.unchanged += report["unchanged"]
        self.skipped += [(item["job"], item["why"]) for item in report["skipped"]]

    def lines(self) -> list[str]:
        """In words: the counts, then the reasons with the jobs they are about."""
        reasons: dict[str, list[str]] = {}
        for job, why in self.skipped:
            reasons.setdefault(why, []).append(job)
        counts = (
            f"{self.created} new, {self.changed} changed, {self.unchanged} as they were, {len(self.skipped)} skipped"
        )
        return [counts, *(f"  {why}: {_some(jobs)}" for why, jobs in reasons.items())]


def _some(jobs: Sequence[str]) -> str:
    return ", ".join(jobs[:8]) + (f" … ({len(jobs)} in all)" if len(jobs) > 8 else "")


async def send(client: httpx.AsyncClient, text: str, **query: str) -> SlurmImportReport:
    """Send a text of Slurm.

    Raises
    ------
    Invalid, Unavailable
        The server refuses it, or does not answer.
    """
    told = SlurmImportReport()
    for piece in pieces(text):
        told.add(await _post(client, piece, query))
    return told


async def _post(client: httpx.AsyncClient, text: str, query: Mapping[str, str]) -> Mapping[str, Any]:
    given = {name: value for name, value in query.items() if value}
    try:
        answer = await client.post(_PATH, params=given, content=text.encode(), headers={"Content-Type": "text/plain"})
    except httpx.HTTPError as error:
        raise Unavailable(f"{client.base_url} does not answer: {error}", "set WATTLINE_URL or --url") from error
    if answer.is_error:
        kind = Unavailable if answer.status_code in _LATER else Invalid
        try:
            problem = answer.json()
            raise kind(problem["detail"], problem.get("hint", ""))
        except (ValueError, KeyError, TypeError):
            raise kind(f"the server answered {answer.status_code}", "see its log") from None
    report = answer.json()
    assert isinstance(report, dict)
    return report


@dataclass
class Watch:
    """The running importer.

    Attributes
    ----------
    query: what goes with every text: cluster, node_prefix.
    state: file that remembers until when everything was brought in.
    since_s: how far back the first round looks.
    as_json: ask `sacct --json` instead of `sacct -P`.
    """

    client: httpx.AsyncClient
    query: Mapping[str, str]
    every_s: float
    state: Path
    since_s: float
    as_json: bool
    say: Say
    _said: set[tuple[str, str]] = field(default_factory=set)

    async def run(self, stop: asyncio.Event) -> None:
        """Bring jobs in until `stop`; what fails is tried again, with longer and longer pauses up to five minutes.

        Raises
        ------
        Invalid
            The first round shows that it cannot work: a token that may not, a command that is not there.
        """
        self.say(f"every {self.every_s:g} s: {' '.join(_LIVE)}")
        self.say(f"  and: {' '.join(self._accounting(time.time()))}")
        pause_s, well = self.every_s, True
        first = True
        while not stop.is_set():
            try:
                await self.once()
            except WattlineError as error:
                if first and isinstance(error, Invalid):
                    raise
                pause_s = min(2 * pause_s, max(_LONGEST_PAUSE_S, self.every_s))
                if well:
                    self.say(f"{error}; trying again")
                well = False
            else:
                if not well:
                    self.say("it goes on: nothing is lost, the next rounds ask for the time in between")
                pause_s, well = self.every_s, True
            first = False
            try:
                async with asyncio.timeout(pause_s):
                    await stop.wait()
            except TimeoutError:
                continue

    async def once(self) -> SlurmImportReport:
        """One round: what runs, with its GPUs; then what accounting tells since the last round.

        Raises
        ------
        Invalid, Unavailable
        """
        began_s = time.time()
        told = await send(self.client, await _output(_LIVE), **self.query)
        accounting = await send(self.client, await _output(self._accounting(began_s)), **self.query)
        for name in ("created", "changed"):
            setattr(told, name, getattr(told, name) + getattr(accounting, name))
        told.unchanged, told.skipped = accounting.unchanged, accounting.skipped
        self._remember(began_s)
        self._tell(told)
        return told

    def _accounting(self, now_s: float) -> list[str]:
        back_s = round(self.since_s)
        if (until_s := self._until()) is not None:
            back_s = max(0, round(now_s - until_s)) + _OVERLAP_S
        form = ["--json"] if self.as_json else ["-P", f"--format={ASKED}"]
        return ["sacct", "--allusers", "--duplicates", f"--starttime=now-{back_s}seconds", *form]

    def _until(self) -> float | None:
        try:
            return float(json.loads(self.state.read_text("utf-8"))["until_s"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _remember(self, until_s: float) -> None:
        half = self.state.with_suffix(".half")
        try:
            half.write_text(json.dumps({"until_s": until_s}), "utf-8")
            half.replace(self.state)
        except OSError as error:
            raise Invalid(
                f"{self.state} cannot be written: {error.strerror}", "name another one with --state"
            ) from None

    def _tell(self, told: SlurmImportReport) -> None:
        """The counts when something happened; a reason to skip a job once."""
        news = [item for item in told.skipped if item not in self._said and not item[1].startswith("pending")]
        self._said = set(told.skipped)
        if told.created or told.changed or news:
            told.skipped = news
            for line in told.lines():
                self.say(line)


_LIVE = ("scontrol", "show", "job", "-d")


async def _output(command: Sequence[str]) -> str:
    """What a command of Slurm prints, its times as seconds since the epoch.

    JSON has them so by itself, and sacct 22.05 trips over the format there: it then finds no job, and ends with 0.

    Raises
    ------
    Invalid, Unavailable
        It is not there; it fails, as while slurmctld or slurmdbd is away.
    """
    environment = {name: value for name, value in os.environ.items() if name != "SLURM_TIME_FORMAT"}
    if "--json" not in command:
        environment["SLURM_TIME_FORMAT"] = "%s"
    try:
        process = await asyncio.create_subprocess_exec(
            *command, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
    except OSError as error:
        hint = "run it where Slurm's commands are"
        raise Invalid(f"{command[0]}: {error.strerror}", hint, code="no_slurm") from None
    try:
        async with asyncio.timeout(_COMMAND_S):
            out, wrong = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise Unavailable(f"{command[0]} did not end within {_COMMAND_S:g} s", "is slurmdbd well?") from None
    if process.returncode:
        raise Unavailable(f"{command[0]}: {wrong.decode(errors='replace').strip()[:300]}", "are Slurm's daemons well?")
    return out.decode(errors="replace")
