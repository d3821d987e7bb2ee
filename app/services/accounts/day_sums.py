"""Sums of a day of a site: of each job, of idle and of unattributed energy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from app.domain.energy import TotalMethod
from app.domain.timeseries import FloatArray

Line = Literal["jobs", "idle", "unattributed"]
LINES: tuple[Line, ...] = ("jobs", "idle", "unattributed")
AMOUNTS = ("energy_j", "gpu_j", "held_ms", "covered_ms")
CHARGES = ("price", "carbon")
COLUMNS = (*AMOUNTS, *(f"{kind}{part}" for kind in CHARGES for part in ("", "_j")))
"""What is added up; of `price` and `carbon` the amount, and the energy that it is known for."""


@dataclass(frozen=True, eq=False)
class DaySum:
    """What the nodes of a site drew on a day, and how it divides.

    Attributes
    ----------
    charged: which of `CHARGES` have a factor on that day.
    lines: n lines; one per job, then idle and, if there is any, unattributed. amounts: float64[n, len(COLUMNS)].
    """

    node_j: float
    covered_ms: int
    wanted_ms: int
    methods: tuple[TotalMethod, ...]
    charged: tuple[str, ...]
    lines: tuple[tuple[Line, str | None], ...]
    amounts: FloatArray

    @classmethod
    def of_document(cls, stored: Mapping[str, Any]) -> DaySum:
        """Return stored sums."""
        lines = (*(("jobs", job) for job in stored["jobs"]), *((line, None) for line in stored["others"]))
        amounts = np.zeros((len(lines), len(COLUMNS)))
        for name, column in stored["amounts"].items():
            amounts[:, COLUMNS.index(name)] = column
        return cls(
            stored["node_j"], stored["covered_ms"], stored["wanted_ms"], tuple(stored["methods"]),
            tuple(stored["charged"]), lines, amounts,
        )  # fmt: skip

    def document(self) -> dict[str, Any]:
        """Return the sums as they are stored; columns of zeros are omitted."""
        columns = zip(COLUMNS, self.amounts.T, strict=True)
        return {
            "node_j": self.node_j,
            "covered_ms": self.covered_ms,
            "wanted_ms": self.wanted_ms,
            "methods": self.methods,
            "charged": self.charged,
            "jobs": [job for _, job in self.lines if job is not None],
            "others": [line for line, job in self.lines if job is None],
            "amounts": {name: column.tolist() for name, column in columns if column.any()},
        }


def lines_of(content: Mapping[str, Any], wanted_ms: int) -> Iterator[tuple[Line, str | None, Mapping[str, Any]]]:
    """Yield the lines of a piece of a node's day: the job, and its amounts by name."""
    for job, amounts in content["jobs"].items():
        yield "jobs", job, amounts
    of_node = {"held_ms": wanted_ms, "covered_ms": content["covered_ms"]}
    yield "idle", None, content["idle"] | of_node
    if content["unattributed"]["energy_j"]:
        yield "unattributed", None, content["unattributed"] | of_node


def sum_day(contents: Iterable[tuple[int, Mapping[str, Any]]]) -> DaySum:
    """Add up the pieces of the nodes of a site, each with its length [ms]."""
    node_j, covered_ms, all_ms = 0.0, 0, 0
    methods: set[TotalMethod] = set()
    charged: set[str] = set()
    rows: dict[tuple[Line, str | None], list[float]] = {}
    for wanted_ms, content in contents:
        node_j += content["node_j"]
        covered_ms += content["covered_ms"]
        all_ms += wanted_ms
        if content["covered_ms"]:
            methods.add(content.get("method", "integral"))
        for line, job, amounts in lines_of(content, wanted_ms):
            row = rows.setdefault((line, job), [0.0] * len(COLUMNS))
            for i, name in enumerate(AMOUNTS):
                row[i] += amounts.get(name, 0.0)
            for i, kind in enumerate(CHARGES):
                if kind in amounts:
                    charged.add(kind)
                    row[len(AMOUNTS) + 2 * i] += amounts[kind][0]
                    row[len(AMOUNTS) + 2 * i + 1] += amounts[kind][1]
    ordered = sorted(rows, key=lambda one: LINES.index(one[0]))
    table = np.array([rows[one] for one in ordered]).reshape(-1, len(COLUMNS))
    return DaySum(node_j, covered_ms, all_ms, tuple(sorted(methods)), tuple(sorted(charged)), tuple(ordered), table)
