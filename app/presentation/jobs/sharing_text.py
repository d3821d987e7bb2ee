"""How the nodes that a job shares were divided, in words."""

from __future__ import annotations

from collections.abc import Sequence

from app.presentation.text import count, coverage, energy, names, num
from app.services.attribution import NodeShare
from app.services.jobs import JobPart, JobPower

_ALL = 0.999


def sharing(power: JobPower) -> list[tuple[str, str, bool]]:
    """Label, text, and whether all is well; nothing for a job that has its nodes for itself."""
    divided = [(part, part.share) for part in power.parts if part.share is not None]
    if not divided:
        return _inside(power)
    facts = [("Shared", _who(divided), True), ("Divided", _how(divided), True)]
    return facts + _inside(power) + [("Not divided", text, False) for text in _what_is_missing(divided)]


def _inside(power: JobPower) -> list[tuple[str, str, bool]]:
    outer = [part.inside for part in power.parts if part.inside is not None]
    jobs = sorted({one.name for one in outer})
    alone = all(one.part.exclusive for one in outer)
    share = ", which has the node for itself" if alone else ": what it gets of the node meanwhile"
    text = f"{names(jobs, 3)}{share}; accounts count the energy there, not here"
    return [("Inside", text, True)] if jobs else []


def _who(divided: Sequence[tuple[JobPart, NodeShare]]) -> str:
    nodes = list(dict.fromkeys(part.power.node for part, _ in divided))
    most = max(share.others for _, share in divided)
    others = f"with {count(most, 'other job')}" if len(nodes) == 1 else f"with up to {count(most, 'other job')} each"
    whole_j, own_j = (sum(getattr(share, name) for _, share in divided) for name in ("node_j", "energy_j"))
    where = nodes[0] if len(nodes) == 1 else names(nodes) if len(nodes) < 4 else count(len(nodes), "node")
    if not most:
        others = "and calls it not its own" if len(nodes) == 1 else "and calls them not its own"
    took = f"; {energy(own_j)} of {energy(whole_j)} are its share" if any(s.known_ms for _, s in divided) else ""
    return f"{where}, {others}{took}"


def _how(divided: Sequence[tuple[JobPart, NodeShare]]) -> str:
    cores = {(part.node.cores, share.all_cores) for part, share in divided}
    mine, whole = next(iter(cores))
    if len(cores) > 1 or whole is None:
        by = "allocated of all cores"
    elif mine is None:
        by = f"those of its {num(whole)} cores that no other job is known to hold"
    else:
        by = f"{num(mine)} of its {num(whole)} cores"
    if not any(part.power.gpus for part, _ in divided):
        return f"by {by}"
    return f"GPUs by who holds them, the rest of the node by {by}"


def _what_is_missing(divided: Sequence[tuple[JobPart, NodeShare]]) -> list[str]:
    found = []
    uncounted = sorted({part.power.node for part, share in divided if share.all_cores is None})
    if uncounted:
        found.append(
            f"what {names(uncounted, 3)} draws besides its GPUs: the number of its cores is unknown (model: `cores`)"
        )
    covered = sum(share.covered_ms for _, share in divided)
    whole = sum(share.whole_ms for _, share in divided)
    if covered and whole < _ALL * covered and not uncounted:
        found.append(
            f"a part of its share, for {coverage(1 - whole / covered)} of the time: a GPU was not read, the GPUs read "
            "more than the node, several jobs there do not state what they hold, or two claim the node exclusively"
        )
    return found
