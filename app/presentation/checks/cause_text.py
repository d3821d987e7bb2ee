"""What is probably wrong where meters disagree."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.checks import Cause, CauseSign

_TEXT: Mapping[CauseSign, str] = {
    "power_of_ten": "wrong scale: {names[0]} is {numbers[0]:g} times {names[1]}",
    "root_three": ("wrong phase: {names[0]} is √3 times {names[1]}, as if line-to-line and line-to-neutral were mixed"),
    "three_times": "wrong phase: {names[0]} is 3 times {names[1]}, as if one line counted for all three",
    "twice": "wrong cord: {names[0]} is twice {names[1]}, as if one of two cords were missing, or counted twice",
    "circuit_carries_more": "the circuit powers something else too, or one of the two reads wrong",
    "circuit_carries_less": "wrong cord: more enters than its circuit carries, so it has a cord to another circuit too",
    "lines_differ": "wrong phase: a line is missing, counted twice, or of another inlet",
    "sum_too_low": "some of the load leaves by points that are not metered, or a reading is too low",
    "sum_too_high": "more leaves than enters: one of the two reads wrong",
    "unexplained": "more than their accuracies allow, and no power of ten, phase or missing cord explains it",
    "parts_exceed_wall": (
        "wrong cord: the parts draw more than the whole, so a cord is missing or belongs to another node"
    ),
    "wall_follows_each_other": (
        "swapped nodes: its wall follows {names[0]} of {names[1]} "
        "(r = {numbers[0]:.2f}, with its own {numbers[1]:.2f}), and the other way round"
    ),
    "wall_follows": (
        "wrong cord: its wall follows {names[0]} of {names[1]} (r = {numbers[0]:.2f}, with its own {numbers[1]:.2f})"
    ),
    "implausible_scale": "implausibly {names[0]}: × {numbers[0]:g}?",
    "implausible_lifetime": "its lifetime counter is implausibly {names[0]}: × {numbers[0]:g}?",
    "outlet_without_node": (
        "it carries {numbers[0]:.0f} W and powers no node: a cord is not declared, or ends elsewhere"
    ),
}


def cause_text(cause: Cause) -> str:
    """Say what is probably wrong."""
    return _TEXT[cause.sign].format(names=cause.names, numbers=cause.numbers)
