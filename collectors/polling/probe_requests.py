"""Read devices once that an administrator asks for, and report what they return."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import quote

from collectors.contract import Address
from collectors.delivery import ServerClient
from collectors.device import PolledDevice
from collectors.errors import CollectorError, ConfigError, OurFault, ServerError
from collectors.polling.device_policy import DevicePolicy

_LOG = logging.getLogger(__name__)
LIMIT_S = 30.0
_AT_ONCE = 2
_TIMEOUT_S = 5.0


class Report(Protocol):
    """What was read from a device."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""


class ProbeFunction(Protocol):
    """Identify a device and read it once: `collectors.tools.probe`."""

    def __call__(self, url: str, *, profile: str, timeout_s: float, auth: Mapping[str, Any]) -> Awaitable[Report]:
        """Return what was read."""


class ProbeRequests:
    """Runs the probes that come with a lease, a few at a time, each with a time limit."""

    def __init__(
        self, server: ServerClient, policy: DevicePolicy, probe: ProbeFunction, limit_s: float = LIMIT_S
    ) -> None:
        self._server = server
        self._policy = policy
        self._probe = probe
        self._limit_s = limit_s
        self._tasks: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(_AT_ONCE)

    def start(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run the probes of a lease in the background."""
        for row in rows:
            task = asyncio.create_task(self._run(row), name=f"probe {row.get('address')}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Cancel the probes that still run."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, row: Mapping[str, Any]) -> None:
        async with self._places:
            result = await self._result(row)
        path = f"/api/v1/collectors/{quote(self._server.name, safe='')}/probes/{quote(str(row.get('id')), safe='')}"
        try:
            await self._server.post(path, result)
        except ServerError as error:
            _LOG.warning("the result of a probe of %s was not delivered: %s", row.get("address"), error.explanation)

    async def _result(self, row: Mapping[str, Any]) -> dict[str, Any]:
        url = str(row.get("address"))
        try:
            async with asyncio.timeout(self._limit_s):
                return {"report": (await self._read(url, row)).to_json()}
        except TimeoutError:
            detail = f"{url} did not return all its values within {self._limit_s:g} s"
            return _problem("probe_timeout", detail, "check the network between the collector and the device")
        except CollectorError as error:
            named = error.detail if Address.parse(url).host in error.detail else f"{url}: {error.detail}"
            return _problem(error.code, named, error.hint)
        except Exception:
            _LOG.exception("the probe of %s failed", url)
            fault = OurFault(f"{url} could not be read", "the log of the collector has the reason")
            return _problem(fault.code, fault.detail, fault.hint)

    async def _read(self, url: str, row: Mapping[str, Any]) -> Report:
        profile = str(row.get("profile") or "auto")
        if "/" in profile:
            raise ConfigError(f"{profile!r} is not the name of a profile", "a file is read by `wattline probe` alone")
        device = PolledDevice("probe", profile, Address.parse(url), auth=dict(row.get("auth") or {}))
        admitted = self._policy.admit_probe(device)
        await self._policy.check_resolved(admitted)
        return await self._probe(url, profile=profile, timeout_s=_TIMEOUT_S, auth=admitted.auth)


def _problem(code: str, detail: str, hint: str) -> dict[str, Any]:
    return {"problem": {"code": code, "detail": detail, "hint": hint}}
