"""Send jobs of Slurm to a server, once or continuously."""

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
"""Each round overlaps the previous one by this time: accounting may record a job late."""
_LONGEST_PAUSE_S = 300.0
_COMMAND_S = 300.0

Say = Callable[[str], None]


@dataclass
class SlurmImportReport:
    """Counts of jobs that the server created, changed or skipped."""

    created: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)

    def add(self, report: Mapping[str, Any]) -> None:
        """Add the counts of one response."""
        self.created += report["created"]
        self.changed += report["changed"]
        self.unchanged += report["unchanged"]
        self.skipped += [(item["job"], item["why"]) for item in report["skipped"]]

    def lines(self) -> list[str]:
        """Return the counts, then each reason with the jobs that were skipped for it."""
        reasons: dict[str, list[str]] = {}
        for job, why in self.skipped:
            reasons.setdefault(why, []).append(job)
        counts = f"{self.created} new, {self.changed} changed, {self.unchanged} unchanged, {len(self.skipped)} skipped"
        return [counts, *(f"  {why}: {_some(jobs)}" for why, jobs in reasons.items())]


def _some(jobs: Sequence[str]) -> str:
    return ", ".join(jobs[:8]) + (f" … ({len(jobs)} in total)" if len(jobs) > 8 else "")


async def send(client: httpx.AsyncClient, text: str, **query: str) -> SlurmImportReport:
    """Send the output of a Slurm command.

    Raises
    ------
    Invalid, Unavailable
        The server rejects it, or does not respond.
    """
    report = SlurmImportReport()
    for piece in pieces(text):
        report.add(await _post(client, piece, query))
    return report


async def _post(client: httpx.AsyncClient, text: str, query: Mapping[str, str]) -> Mapping[str, Any]:
    given = {name: value for name, value in query.items() if value}
    try:
        answer = await client.post(_PATH, params=given, content=text.encode(), headers={"Content-Type": "text/plain"})
    except httpx.HTTPError as error:
        raise Unavailable(f"{client.base_url} does not respond: {error}", "set WATTLINE_URL or --url") from error
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
    """The continuous importer.

    Attributes
    ----------
    query: parameters of every request: cluster, node_prefix.
    state: file with the time up to which jobs were imported.
    since_s: how far back the first round reaches.
    as_json: use `sacct --json` instead of `sacct -P`.
    """

    client: httpx.AsyncClient
    query: Mapping[str, str]
    every_s: float
    state: Path
    since_s: float
    as_json: bool
    say: Say
    _reported: set[tuple[str, str]] = field(default_factory=set)

    async def run(self, stop: asyncio.Event) -> None:
        """Import jobs until `stop`; retry failures with growing pauses of up to five minutes.

        Raises
        ------
        Invalid
            The first round cannot succeed: the token has no access, or a command is missing.
        """
        self.say(f"every {self.every_s:g} s: {' '.join(_LIVE)}")
        self.say(f"  and: {' '.join(self._accounting(time.time()))}")
        pause_s, works = self.every_s, True
        first = True
        while not stop.is_set():
            try:
                await self.once()
            except WattlineError as error:
                if first and isinstance(error, Invalid):
                    raise
                pause_s = min(2 * pause_s, max(_LONGEST_PAUSE_S, self.every_s))
                if works:
                    self.say(f"{error}; retrying")
                works = False
            else:
                if not works:
                    self.say("works again; the next rounds cover the time in between")
                pause_s, works = self.every_s, True
            first = False
            try:
                async with asyncio.timeout(pause_s):
                    await stop.wait()
            except TimeoutError:
                continue

    async def once(self) -> SlurmImportReport:
        """Import once: running jobs with their GPUs, then those that accounting recorded since the last round.

        Raises
        ------
        Invalid, Unavailable
        """
        began_s = time.time()
        report = await send(self.client, await _output(_LIVE), **self.query)
        accounting = await send(self.client, await _output(self._accounting(began_s)), **self.query)
        for name in ("created", "changed"):
            setattr(report, name, getattr(report, name) + getattr(accounting, name))
        report.unchanged, report.skipped = accounting.unchanged, accounting.skipped
        self._remember(began_s)
        self._print(report)
        return report

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
                f"{self.state} cannot be written: {error.strerror}", "give another file with --state"
            ) from None

    def _print(self, report: SlurmImportReport) -> None:
        """Print the counts if anything changed, and each reason to skip a job once."""
        news = [item for item in report.skipped if item not in self._reported and not item[1].startswith("pending")]
        self._reported = set(report.skipped)
        if report.created or report.changed or news:
            report.skipped = news
            for line in report.lines():
                self.say(line)


_LIVE = ("scontrol", "show", "job", "-d")


async def _output(command: Sequence[str]) -> str:
    """Return the output of a Slurm command, with times as seconds since the epoch.

    JSON has such times anyway, and with the format variable sacct 22.05 finds no job there and ends with 0.

    Raises
    ------
    Invalid, Unavailable
        The command is missing; it fails, for example because slurmctld or slurmdbd is down.
    """
    environment = {name: value for name, value in os.environ.items() if name != "SLURM_TIME_FORMAT"}
    if "--json" not in command:
        environment["SLURM_TIME_FORMAT"] = "%s"
    try:
        process = await asyncio.create_subprocess_exec(
            *command, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
    except OSError as error:
        hint = "run this where the commands of Slurm are installed"
        raise Invalid(f"{command[0]}: {error.strerror}", hint, code="no_slurm") from None
    try:
        async with asyncio.timeout(_COMMAND_S):
            out, problem = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise Unavailable(f"{command[0]} did not end within {_COMMAND_S:g} s", "check slurmdbd") from None
    if process.returncode:
        raise Unavailable(
            f"{command[0]}: {problem.decode(errors='replace').strip()[:300]}", "check the daemons of Slurm"
        )
    return out.decode(errors="replace")
