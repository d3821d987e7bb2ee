"""What is missing of the facility's power now, and what is used in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from app.domain.energy import KnownPower, MissingPart, total_power
from app.models import TimeMs, sent_as
from app.presentation.facility.node_source import SOURCE_TEXT
from app.presentation.text import bound_kw, kw, missing_names, names
from app.services.live import NodeNow
from app.services.pages import FacilityPage

MOST_LINES = 12
NOTHING = "nothing; kept out of every sum"


@dataclass(frozen=True)
class MissingLine:
    """A missing part: of what, what is known of that, its last value with the time, and what is used in its place."""

    what: str
    part_of: str
    href: str
    known: str
    last_known_w: float | None
    last_ms: Annotated[TimeMs | None, sent_as("last")]
    instead: str


def missing_lines(page: FacilityPage) -> list[MissingLine]:
    """Return a line for each missing part of a rack, then for each node that another source measures."""
    lines = []
    for rack in page.racks:
        now = page.live.racks[rack.key]
        lines += [_of_rack(rack.key, rack.title, now.power, part) for part in now.power.missing]
        nodes = {node.key: page.live.nodes[node.key] for node in page.facility.nodes_in(rack.key)}
        lines += [_of_node(key, rack.title, node) for key, node in nodes.items() if node.instead_of]
    return lines[:MOST_LINES]


def _of_rack(key: str, title: str, power: KnownPower, part: MissingPart) -> MissingLine:
    known = "–" if power.known_w is None else f"≥ {bound_kw(power.known_w)}"
    what = missing_names([part.key], 1)
    return MissingLine(what, title, f"/racks/{key}", known, part.last_known_w, part.t_ms, NOTHING)


def _of_node(key: str, title: str, now: NodeNow) -> MissingLine:
    usual, used = SOURCE_TEXT[now.instead_of][0], SOURCE_TEXT[now.source][0]
    who = names([part.key for part in now.replaced])
    lost = total_power([KnownPower(missing=now.replaced)])
    value = "–" if now.power.known_w is None else kw(now.power.known_w)
    instead = f"its {used}, labelled; not compared with rated"
    return MissingLine(
        f"{key}, {usual}: {who}",
        title,
        f"/nodes/{key}",
        f"{value} {used}",
        lost.last_known_w,
        lost.last_known_ms,
        instead,
    )
