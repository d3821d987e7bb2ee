"""Decide which collector polls which device, and until when: pure functions of the leases that are stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from app.domain.devices.sharing import Allowed, may_poll, share
from collectors.contract import HOUR_MS

NO_COLLECTOR = ""
"""Collector of a device that was given back."""
_LONGEST_AHEAD_MS = 120_000
_HANDOVER_SHARE = 0.6
"""How much of a lease passes before a device changes its collector: both renew in that time."""
_LONGEST_HANDOVER_MS = HOUR_MS


@dataclass(frozen=True)
class CollectorState:
    """A collector: end of its lease, its last renewal, and the duration of its leases [ms]."""

    until_ms: int
    seen_ms: int
    lease_ms: int

    def is_live(self, now_ms: int) -> bool:
        """Return whether its lease is in force; one that ends much later than any would is left from another clock."""
        return now_ms < self.until_ms <= now_ms + max(2 * self.lease_ms, _LONGEST_AHEAD_MS)


@dataclass(frozen=True)
class DeviceLease:
    """The lease of a device.

    Attributes
    ----------
    fence: fencing number, larger for each next collector. next_collector, handover_ms: the collector that it passes to,
    and when.
    """

    collector: str
    fence: int
    next_collector: str | None = None
    handover_ms: int | None = None


@dataclass(frozen=True)
class GrantedLease:
    """A device that a collector polls from a time, until a time [ms]; None is now, and as long as the lease lasts."""

    device: str
    fence: int
    from_ms: int | None = None
    until_ms: int | None = None


def revived(collectors: Mapping[str, CollectorState], now_ms: int) -> dict[str, CollectorState]:
    """Return the collectors with new leases that could not renew theirs because no server answered.

    If no collector at all renewed for longer than a lease, the server was away. Each collector that had a lease then
    gets it back for one lease time, so that none takes the devices of the others because it asked first.
    """
    newest_ms = max((min(c.seen_ms, now_ms) for c in collectors.values()), default=now_ms)
    if any(c.is_live(now_ms) for c in collectors.values()):
        return dict(collectors)
    return {
        name: replace(c, until_ms=now_ms + c.lease_ms) if newest_ms < c.seen_ms + c.lease_ms <= now_ms else c
        for name, c in collectors.items()
    }


def settled(leases: Mapping[str, DeviceLease], live: Collection[str], now_ms: int) -> dict[str, DeviceLease]:
    """Return the leases with every handover done whose time has come, and without those to a collector that is gone."""
    found = {}
    for device, lease in leases.items():
        if lease.next_collector is None or lease.handover_ms is None:
            found[device] = lease
        elif lease.next_collector not in live:
            found[device] = replace(lease, next_collector=None, handover_ms=None)
        elif lease.handover_ms <= now_ms or lease.handover_ms > now_ms + _LONGEST_HANDOVER_MS:
            found[device] = DeviceLease(lease.next_collector, lease.fence + 1)
        else:
            found[device] = lease
    return found


def leased(
    collector: str,
    leases: Mapping[str, DeviceLease],
    collectors: Mapping[str, CollectorState],
    weights: Mapping[str, float],
    allowed: Allowed,
    now_ms: int,
) -> dict[str, DeviceLease]:
    """Return the leases after a collector renewed its own: it gets devices that no live collector polls and that are
    its share; devices that are not any more begin to pass on.

    Parameters
    ----------
    collectors: all of them, `collector` renewed. weights: load of each device [series/s].
    """
    live = {name for name, state in collectors.items() if state.is_live(now_ms)}
    found = settled(leases, live, now_ms)
    owners = {}
    for device, lease in found.items():
        owner = lease.next_collector or lease.collector
        if lease.collector in live and may_poll(allowed, device, owner):
            owners[device] = owner
    shares = share(weights, allowed, live, owners)
    for device in found.keys() - shares.keys():
        if found[device].collector in live:  # it may not poll it any more, and no other collector may
            found[device] = DeviceLease(NO_COLLECTOR, found[device].fence)
    for device, wanted in shares.items():
        old = found.get(device)
        if old is None:
            if wanted == collector:
                found[device] = DeviceLease(collector, 1)
        elif old.collector not in live:
            if wanted == collector:
                found[device] = DeviceLease(collector, old.fence if old.collector == collector else old.fence + 1)
        elif wanted == old.collector:
            found[device] = replace(old, next_collector=None, handover_ms=None)
        elif wanted != old.next_collector:
            lease_ms = max(collectors[old.collector].lease_ms, collectors[wanted].lease_ms)
            found[device] = replace(old, next_collector=wanted, handover_ms=now_ms + round(_HANDOVER_SHARE * lease_ms))
    return found


def granted(collector: str, leases: Mapping[str, DeviceLease], devices: Collection[str]) -> list[GrantedLease]:
    """Return the devices that a collector polls now or from a coming handover on, by key."""
    found = []
    for device in sorted(devices & leases.keys()):
        lease = leases[device]
        if lease.collector == collector:
            found.append(GrantedLease(device, lease.fence, until_ms=lease.handover_ms))
        elif lease.next_collector == collector:
            found.append(GrantedLease(device, lease.fence + 1, from_ms=lease.handover_ms))
    return found
