"""Let a collector read a device once, before the device is in the facility.

The collector decides which addresses it reads and which secrets it sends there: see `collectors.polling.device_policy`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from app.domain.devices import bound_to
from app.errors import Invalid, NotFound, TooManyRequests, Unavailable
from app.services.devices.stores import ProbeStores
from app.store.database import ulid
from app.store.devices import DeviceProbe
from app.store.facility import Auth, Facility
from collectors.contract import HOUR_MS, SERIAL, Address, InvalidAddress

FETCH_LIMIT_MS = 60_000
"""How long a collector may take to ask for its probes: it does so with each renewal of its lease."""
READ_LIMIT_MS = 60_000
"""How long a collector may take to read a device, with its own limit of 30 s and the delivery."""
MOST_OPEN = 4

ProbeState = Literal["waiting", "reading", "done", "failed"]


@dataclass(frozen=True)
class ProbeRequest:
    """A device to be read: its address and profile, and how to sign in.

    `auth`: key of an auth of the facility. `settings`: keys of an auth that is not in the facility yet.
    `site`: the site whose collectors may read it.
    """

    address: str
    profile: str = "auto"
    auth: str | None = None
    settings: Mapping[str, Any] | None = None
    site: str | None = None


@dataclass(frozen=True)
class ProbeProblem:
    """Why a device could not be read, and the suggested fix."""

    code: str
    detail: str
    hint: str = ""


def ask_for_probe(stores: ProbeStores, request: ProbeRequest) -> DeviceProbe:
    """Store a request for a collector and return it.

    Raises
    ------
    Invalid
        The address, the auth or the site does not exist.
    TooManyRequests
        Other devices are being read.
    Unavailable
        No collector is running that may read it.
    """
    now_ms = stores.now_ms()
    facility = stores.facility.at(now_ms)
    address = _network_address(request.address)
    settings = request.settings or {}
    if request.auth is not None:
        auth: Auth | None = facility.auths.get(request.auth)
        if auth is None:
            raise Invalid(f"there is no auth {request.auth!r}", "GET /api/v1/auths lists them")
        settings = auth.settings
    if stores.probes.unfinished(now_ms - FETCH_LIMIT_MS - READ_LIMIT_MS) >= MOST_OPEN:
        raise TooManyRequests("other devices are being read", "try again in a minute", retry_after_s=30)
    collector = _collector(stores, facility, request.site, address, now_ms)
    probe = DeviceProbe(ulid(now_ms), collector, request.address, request.profile, now_ms, dict(settings))
    stores.probes.add(probe, now_ms - HOUR_MS)
    return probe


def probes_to_run(stores: ProbeStores, collector: str) -> list[DeviceProbe]:
    """Return the devices that a collector is to read once; each is returned once."""
    now_ms = stores.now_ms()
    return stores.probes.take(collector, now_ms - FETCH_LIMIT_MS, now_ms)


def finish_probe(
    stores: ProbeStores,
    id_: str,
    collector: str,
    report: Mapping[str, Any] | None,
    problem: Mapping[str, Any] | None,
) -> None:
    """Store what a collector read, or why it could not.

    Raises
    ------
    NotFound
        This collector has no such probe, or has reported its result.
    """
    if not stores.probes.finish(id_, collector, stores.now_ms(), report, problem):
        raise NotFound(f"collector {collector} has no open probe {id_}", "nothing has to be reported")


def find_probe(stores: ProbeStores, id_: str) -> DeviceProbe:
    """Return a probe.

    Raises
    ------
    NotFound
    """
    probe = stores.probes.get(id_)
    if probe is None:
        raise NotFound(f"there is no probe {id_}", "a probe is deleted after an hour; read the device again")
    return probe


def state_of(probe: DeviceProbe, now_ms: int) -> tuple[ProbeState, ProbeProblem | None]:
    """Return whether a probe waits for its collector, is read, is done or has failed, and why."""
    if probe.finished_ms is not None:
        if probe.problem is None:
            return "done", None
        return "failed", ProbeProblem(**probe.problem)
    if probe.taken_ms is None:
        if now_ms - probe.asked_ms <= FETCH_LIMIT_MS:
            return "waiting", None
        detail = f"{probe.address}: collector {probe.collector} did not take the request within a minute"
        return "failed", ProbeProblem("collector_away", detail, "check that it is running, then read the device again")
    if now_ms - probe.taken_ms <= READ_LIMIT_MS:
        return "reading", None
    detail = f"{probe.address}: collector {probe.collector} reported no result within a minute"
    return "failed", ProbeProblem("probe_timeout", detail, "look at the log of the collector")


def _network_address(text: str) -> Address:
    try:
        address = Address.parse(text)
    except InvalidAddress as error:
        raise Invalid(error.detail, error.hint, code=error.code) from None
    if address.scheme == SERIAL:
        raise Invalid(
            f"{text} is a serial port of the collector's machine, which the page does not open",
            "run `wattline probe` there",
            code="address_refused",
        )
    return address


def _collector(stores: ProbeStores, facility: Facility, site: str | None, address: Address, now_ms: int) -> str:
    """Return a running collector that may read a device of a site."""
    if site is not None and site not in facility.sites:
        raise Invalid(f"there is no site {site!r}", "GET /api/v1/sites lists them")
    declared = (facility.sites[site].collectors if site is not None else None) or ()
    bound: Collection[str] | None = bound_to(declared, address.host)
    running = sorted(one.name for one in stores.leases.collectors() if one.state.is_live(now_ms))
    allowed = [name for name in running if bound is None or name in bound]
    if allowed:
        return allowed[0]
    if bound is not None:
        detail = f"{address.url}: none of the collectors {', '.join(sorted(bound))} of site {site} is running"
    else:
        detail = f"{address.url}: no collector is running"
    raise Unavailable(detail, "start `wattline collect` on a machine that reaches the device", code="no_collector")
