"""Where the energy of a job went, as bars and words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.presentation.text import THIN, coverage, energy, num, pct, span

WHOLE = 0.999
"""A division over less of the time says so."""
_NOTHING = 1e-4


@dataclass(frozen=True)
class BreakdownShare:
    """A part of the energy [J], and the colour token of its bar."""

    name: str
    energy_j: float
    color: str


@dataclass(frozen=True)
class Split:
    """Energy divided without remainder; a division that nothing supports is empty.

    parts: GPUs and the rest. causes: idling and what came on top. nodes: whose the energy of shared nodes is.
    notes: its basis.
    """

    title: str
    parts: Sequence[BreakdownShare]
    causes: Sequence[BreakdownShare]
    nodes: Sequence[BreakdownShare]
    notes: Sequence[str]


def job_split(content: Mapping[str, object], nodes: int) -> Split | None:
    """The energy of a summary divided; None where neither GPUs nor an idle baseline nor other jobs are known."""
    parts, part_notes = _parts(content)
    causes, cause_notes = _causes(content, nodes)
    whole = _nodes(content)
    if not parts and not causes and not whole:
        return None
    notes = [*part_notes, *_idle_notes(content), *cause_notes]
    return Split(_title(parts, causes, whole), parts, causes, whole, notes)


def _title(parts: Sequence[BreakdownShare], causes: Sequence[BreakdownShare], nodes: Sequence[BreakdownShare]) -> str:
    shares = parts or causes or nodes
    part = 100 * shares[0].energy_j / math.fsum(s.energy_j for s in shares)
    if parts:
        return f"{parts[0].name} took {num(part)}{THIN}% of the energy"
    if causes:
        return f"{num(part)}{THIN}% of the energy came on top of idling"
    return f"Its share is {num(part)}{THIN}% of the node"


def _nodes(content: Mapping[str, object]) -> list[BreakdownShare]:
    """Whose the energy of the shared nodes is; nothing where a part of it contradicts itself."""
    rows = content.get("by_node")
    shares = [row["share"] for row in rows if row.get("share")] if isinstance(rows, Sequence) else []
    known = [share for share in shares if share["node_j"] and share["gpu_j"] is not None]
    if not known:
        return []
    mine = math.fsum(share["gpu_j"] + share["rest_j"] for share in known)
    idle, nobodys, whole = (math.fsum(s[name] for s in known) for name in ("idle_j", "unattributed_j", "node_j"))
    found = [
        BreakdownShare("This job", mine, "power"),
        BreakdownShare("Other jobs", whole - mine - idle - nobodys, "s2"),
        BreakdownShare("Idle", idle, "idle"),
        BreakdownShare("Not divided", nobodys, "warn"),
    ]
    shown = [share for share in found if abs(share.energy_j) > _NOTHING * whole]
    return [] if any(share.energy_j < 0 for share in shown) else shown


def _idle_notes(content: Mapping[str, object]) -> list[str]:
    gpu = content.get("gpu")
    idle = gpu.get("idle") if isinstance(gpu, Mapping) else None
    if not idle or not idle["energy_pct"]:
        return []
    who = "Its GPUs" if isinstance(gpu, Mapping) and gpu.get("count", 1) > 1 else "Its GPU"
    joules, part, hours = energy(idle["energy_j"]), pct(idle["energy_pct"]), num(idle["gpu_hours"], 1)
    return [f"{who} took {joules} ({part} of theirs) allocated but idle: {hours} GPU hours without a kernel."]


def _parts(content: Mapping[str, object]) -> tuple[list[BreakdownShare], list[str]]:
    found, gpu = content.get("by_part"), content.get("gpu")
    if not isinstance(found, Mapping) or not isinstance(gpu, Mapping):
        return [], []
    if found["rest_j"] < 0:
        return [], ["The GPUs read more than the whole node: the parts contradict each other and are not divided."]
    name = "GPUs" if gpu.get("count", 1) > 1 else "The GPU"
    shares = [BreakdownShare(name, found["gpu_j"], "gpu")]
    if found["other_gpus_j"]:
        shares.append(BreakdownShare("Other GPUs", found["other_gpus_j"], "idle"))
    shares.append(BreakdownShare("CPU packages" if found["components_only"] else "Rest", found["rest_j"], "aux"))
    if not math.fsum(share.energy_j for share in shares):
        return [], []
    notes = [] if found["components_only"] else ["Rest: CPUs, fans, memory, network, conversion losses."]
    if found["coverage"] < WHOLE:
        share = coverage(found["coverage"])
        notes.append(f"Over the {share} of the node time in which wall and GPUs were read.")
    return shares, notes


def _causes(content: Mapping[str, object], nodes: int) -> tuple[list[BreakdownShare], list[str]]:
    found = content.get("by_cause")
    if not isinstance(found, Mapping) or found["baseline_j"] <= 0 or found["dynamic_j"] <= 0:
        return [], []
    watts, measured_s = num(found["baseline_w"]), found["measured_s"]
    where = "the node" if nodes == 1 else f"{nodes} nodes"
    note = (
        f"Idle: {watts}{THIN}W, declared by the model."
        if measured_s is None
        else f"Idle: {watts}{THIN}W, the median of {where} over {span(measured_s)} without a job in 30 days."
    )
    return [
        BreakdownShare("Dynamic", found["dynamic_j"], "power"),
        BreakdownShare("Idle", found["baseline_j"], "idle"),
    ], [note]
