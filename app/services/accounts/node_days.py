"""Days of nodes: what a node drew on a day of its site, divided among the jobs that held it. Accounts are sums of them.

A day that is over is computed once and kept, until readings, jobs, the facility or a factor of that day change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from app.domain.energy import TotalMethod
from app.domain.jobs import Attribution, EnergyShare
from app.domain.timeseries import FloatArray, LocalDay
from app.services.accounts.stores import AccountStores
from app.services.attribution import NodeInputs, attribution_of, read_nodes
from app.services.energy import PowerBasis, read_node_power
from app.services.factors import SiteFactors, charges, site_factors
from app.services.jobs import SUMMARIZED
from app.store.accounts import NodeDay
from app.store.facility import Facility, History, Model, Node
from app.store.rollups import retired_before
from collectors.contract import DAY_MS

REST_MS = 900_000
"""A day is kept so long after its end, when late readings have come."""
AT_ONCE = 500
"""Days of nodes that one request computes at most."""
PIECES_AT_ONCE = 50
READ_AT_ONCE_MS = PIECES_AT_ONCE * DAY_MS
"""Node time whose readings are read together."""
SHAPE = 3
"""Version of the stored content: a day of another version is computed again."""

_METHODS: Mapping[PowerBasis, TotalMethod] = {"measured": "integral", "derived": "counter", "mixed": "mixed"}


@dataclass(frozen=True, eq=False)
class Piece:
    """A node in one place for [start, end) of a day; mostly the whole day. Two are equal only if they are one object,
    because comparing and hashing nodes took a tenth of the time of an account.
    """

    node: Node
    day: LocalDay
    start_ms: int
    end_ms: int


def is_over(day: LocalDay, now_ms: int) -> bool:
    """Return whether a day is computed once and kept."""
    return day.end_ms + REST_MS <= now_ms


def pieces(history: History, site: str, day: LocalDay, now_ms: int) -> list[Piece]:
    """The nodes of a site on a day, cut where one moves to another rack."""
    end_ms = min(day.end_ms, now_ms)
    found: dict[str, list[Piece]] = {}
    moments = [day.start_ms, *history.between(day.start_ms, end_ms), end_ms]
    for start, end in pairwise(moments):
        for node in history.at(start).nodes.values():
            if node.site != site or start >= end:
                continue
            own = found.setdefault(node.key, [])
            if own and own[-1].end_ms == start and own[-1].node.rack == node.rack:
                own[-1] = replace(own[-1], end_ms=end)
            else:
                own.append(Piece(node, day, start, end))
    return [piece for own in found.values() for piece in own]


class NodesOfDay:
    """The nodes of a site on a day, what is known of them already, and the factors of that day."""

    def __init__(self, stores: AccountStores, site: str, day: LocalDay) -> None:
        self._stores = stores
        self._now_ms = stores.now_ms()
        self._history = stores.facility.history()
        self.pieces: Sequence[Piece] = pieces(self._history, site, day, self._now_ms)
        self._retired = day.start_ms < retired_before(stores.engine, SUMMARIZED)
        self.factors: SiteFactors = site_factors(stores, site, day.start_ms, day.end_ms)
        self._factors_text = repr(self.factors.basis(day.start_ms, day.end_ms))
        self._models: dict[int, tuple[Model, str]] = {}
        self._reporters = _reporters(self._history.at(day.start_ms))
        if self._retired:
            self.pieces, self._known = self._as_kept(day)
            return
        if not is_over(day, self._now_ms) and len(self.pieces) > AT_ONCE:
            self.pieces, self._known = self._as_of_late()
            return
        nodes = [piece.node.key for piece in self.pieces]
        kept = stores.node_days.fresh(nodes, day.start_ms, day.end_ms) if nodes else {}
        self._known = {piece: known for piece in self.pieces if (known := self._still(piece, kept)) is not None}

    def _as_of_late(self) -> tuple[list[Piece], dict[Piece, NodeDay]]:
        """Return the pieces of a day that is not over; those of too many nodes for one request up to a while ago."""
        found, known = [], {}
        for piece in self.pieces:
            kept = self._stores.running_days.get((piece.node.key, piece.start_ms), self._now_ms)
            until = None if kept is None else replace(piece, end_ms=min(piece.end_ms, kept.end_ms))
            if kept is not None and until is not None and kept.basis == self._basis(until):
                known[until] = kept
                found.append(until)
            else:
                found.append(piece)
        return found, known

    def _as_kept(self, day: LocalDay) -> tuple[list[Piece], dict[Piece, NodeDay]]:
        """Return the pieces of a day whose readings are deleted, as they were computed before, whatever changed since.

        Those that were never computed have no energy.
        """
        nodes = {piece.node.key: piece.node for piece in self.pieces}
        kept = self._stores.node_days.kept(sorted(nodes), day.start_ms, day.end_ms) if nodes else []
        known = {Piece(nodes[each.node], day, each.start_ms, each.end_ms): each for each in kept}
        computed = {each.node for each in kept}
        blank = [piece for piece in self.pieces if piece.node.key not in computed]
        return [*known, *blank], known

    def missing(self) -> list[Piece]:
        """What has to be computed; nothing of a day whose readings are deleted."""
        return [] if self._retired else [piece for piece in self.pieces if piece not in self._known]

    def contents(self) -> list[tuple[Piece, Mapping[str, Any]]]:
        """Return every piece and its energies, computed where they are not known."""
        computed = dict(self.compute(self.missing()))
        known = {piece: day.content for piece, day in self._known.items()}
        return [(piece, known.get(piece) or computed.get(piece) or _nothing()) for piece in self.pieces]

    def compute(self, pieces: Sequence[Piece]) -> list[tuple[Piece, dict[str, Any]]]:
        """Compute the energies of some pieces, and keep them: those of a day that is not over for a while."""
        found: list[tuple[Piece, dict[str, Any]]] = []
        for some in _batches(pieces):
            over = [piece for piece in some if is_over(piece.day, self._now_ms)]
            self._stores.node_days.expect([(p.node.key, p.start_ms, p.end_ms) for p in over])
            inputs = read_nodes(self._stores, [(p.node.key, p.start_ms, p.end_ms) for p in some])
            inputs.frames.read_parts()
            contents = [(piece, divided(inputs, piece, self.factors)) for piece in some]
            days = [(is_over(piece.day, self._now_ms), self.as_stored(piece, content)) for piece, content in contents]
            self._stores.node_days.save([day for over, day in days if over])
            self._stores.running_days.put_many([day for over, day in days if not over])
            found += contents
        return found

    def as_stored(self, piece: Piece, content: Mapping[str, Any]) -> NodeDay:
        """Return the energies of a piece as they are kept."""
        return NodeDay(piece.node.key, piece.start_ms, piece.end_ms, self._basis(piece), self._now_ms, content)

    def _still(self, piece: Piece, kept: Mapping[tuple[str, int], NodeDay]) -> NodeDay | None:
        known = kept.get((piece.node.key, piece.start_ms))
        is_same = known is not None and known.end_ms == piece.end_ms and known.basis == self._basis(piece)
        return known if is_same else None

    def _basis(self, piece: Piece) -> str:
        """A digest of what the facility and the factors say about a piece."""
        start, end, key = piece.start_ms, piece.end_ms, piece.node.key
        feeds = self._history.powering(key, start, end)
        cords = [(f.key, max(start, f.valid_from_ms), min(end, f.valid_to_ms or end)) for f in feeds]
        supplies = [(s.key, s.split, s.nodes) for s in self._history.supplies(key, start, end)]
        model = self._plain(self._history.at(start).model_of(piece.node))
        parts = (repr(SHAPE), repr(cords), repr(supplies), repr(self._reporters.get(key)), model, self._factors_text)
        return hashlib.sha256(f"({', '.join(parts)})".encode()).hexdigest()[:16]

    def _plain(self, model: Model | None) -> str:
        """Return a model as text without its version, made once for all nodes of the model."""
        if model is None:
            return repr(None)
        if id(model) not in self._models:
            self._models[id(model)] = model, repr(replace(model, version=0, valid_from_ms=0, valid_to_ms=None))
        return self._models[id(model)][1]


def _nothing() -> dict[str, Any]:
    """The content of a piece of which no reading is left: no energy, nothing covered."""
    line = {"energy_j": 0.0}
    return {"node_j": 0.0, "source": None, "covered_ms": 0, "jobs": {}, "idle": line, "unattributed": line}


def _reporters(facility: Facility) -> dict[str, list[tuple[str, str]]]:
    """Node → its exporters and BMC."""
    found: dict[str, list[tuple[str, str]]] = {}
    for device in facility.devices.values():
        if device.node:
            found.setdefault(device.node, []).append((device.key, device.kind))
    return found


def _batches(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Yield pieces in batches whose readings fit into memory together."""
    some: list[Piece] = []
    for piece in pieces:
        if some and sum(p.end_ms - p.start_ms for p in some) + piece.end_ms - piece.start_ms > READ_AT_ONCE_MS:
            yield some
            some = []
        some.append(piece)
    if some:
        yield some


def divided(inputs: NodeInputs, piece: Piece, factors: SiteFactors) -> dict[str, Any]:
    """Compute the energies [J] of a piece: of the node, of each job, idle and unattributed, each with its cost.

    Energy by integral of the node's power, or of what registers counted where no power is reported, in intervals of at
    most the slowest source's τ; a factor is averaged over an interval.
    """
    power = read_node_power(inputs, piece.node.key, piece.start_ms, piece.end_ms)
    found = attribution_of(inputs, power)

    def line(joules: FloatArray) -> dict[str, Any]:
        amounts = {kind: [c.amount, c.known_j] for kind, c in charges(factors, found.edges_ms, joules).items()}
        return {"energy_j": float(joules.sum()), **amounts}

    return {
        "node_j": float(found.node_j.sum()),
        "source": power.source,
        "method": _METHODS[power.power_basis],
        "covered_ms": int(found.covered_ms.sum()),
        "jobs": {job: {**line(found.job_j(job)), **_held(found, share)} for job, share in found.shares.items()},
        "idle": line(found.idle_j),
        "unattributed": line(found.unattributed_j),
    }


def _held(found: Attribution, share: EnergyShare) -> dict[str, float]:
    """What a job's GPUs took [J], how long it held the node and for how much of that its share is known [ms]."""
    at = slice(share.first, share.first + len(share.held))
    return {
        "gpu_j": float(np.nansum(share.gpu_j)),
        "held_ms": int(np.diff(found.edges_ms)[at][share.held].sum()),
        "covered_ms": int(found.covered_ms[at][share.known].sum()),
    }
