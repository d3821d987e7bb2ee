"""Find the MLPerf runs in a path and the names of their nodes.

Inference: a folder with `spl.txt` and `mlperf_log_detail*.txt`. Training: a folder with `result_*.txt` and for each
`power/<result>/{node,sw}_k.txt` or `power_<result>.tar.gz`. The run is named by its folder's name,
`round__submitter__system__benchmark[__scenario]`, or by its place in a repository of results,
`…_results_<round>/…/submitter/results/system/benchmark[/scenario/…]`; any other name is used unchanged.

Training results named `result_<allocation>-<stamp>_<n>` belong to one allocation of machines each. Allocations may have
run at the same time on machines that all logs call node 0, so the allocation is part of the node's name.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.errors import Invalid
from app.importers.tables import decode

METER_LOG = "spl.txt"
_MOST_BYTES = 2 * 2**30
"""Power logs that one archive may hold."""
_PARTS = ("round", "submitter", "system", "benchmark", "scenario")
_REPOSITORY = re.compile(r"_results_(v\d+\.\d+)")
_ALLOCATION = re.compile(r"result_(\d+)-\d+_\w+")
_POWER_FILE = re.compile(r"(node|sw)_(\d+)\.txt")
_NOT_IN_A_KEY = re.compile(r"[^a-z0-9._-]+")


@dataclass(frozen=True)
class RunFolder:
    """One run on disk.

    Attributes
    ----------
    folder: of the inference run, or of the benchmark that the training run belongs to.
    result: stem of the training run's result file; empty for inference.
    names: parts of the folder's name: round, submitter, system, benchmark, scenario.
    """

    kind: Literal["inference", "training"]
    folder: Path
    result: str
    names: dict[str, str]

    @property
    def key(self) -> str:
        """Identity of the run: folder, and result if a folder holds several."""
        name = "__".join(self.names.values()) or self.folder.name
        return f"{name}/{self.result}" if self.result else name

    @property
    def system(self) -> str:
        """Key of the machine, or of the group of machines, that ran it."""
        named = [self.names[part] for part in ("submitter", "system") if part in self.names]
        allocation = _ALLOCATION.fullmatch(self.result)
        return key_of("-".join([*(named or [self.folder.name]), *(allocation.groups() if allocation else ())]))


@dataclass(frozen=True)
class PowerText:
    """One power log of a training run: `node` or `sw`, its number, its text."""

    kind: str
    number: int
    name: str
    text: str


def key_of(text: str) -> str:
    """Return `text` as a key of the facility: lower case letters, digits, `.`, `_`, `-`."""
    return _NOT_IN_A_KEY.sub("-", text.lower()).strip("-._") or "unnamed"


def find_runs(path: Path) -> list[RunFolder]:
    """Return the runs in a folder; for a file, the run whose meter log or result it is."""
    if path.is_file():
        result = "" if path.name == METER_LOG else path.stem
        return [run for run in _at(path.resolve().parent) if run.result == result]
    if not path.is_dir():
        return []
    return _at(path.resolve()) or [
        run for inner in sorted(path.iterdir()) if inner.is_dir() and not inner.is_symlink() for run in find_runs(inner)
    ]


def _at(folder: Path) -> list[RunFolder]:
    if _is_own(folder / METER_LOG, folder) and detail_log(folder):
        return [RunFolder("inference", folder, "", _names(folder))]
    return _training(folder)


def files_of(run: RunFolder) -> list[Path]:
    """Return the files that a run is read from."""
    if run.kind == "inference":
        detail = detail_log(run.folder)
        return [run.folder / METER_LOG, *([detail] if detail else [])]
    inside = run.folder / "power" / run.result
    power = (
        [p for p in sorted(inside.iterdir()) if _is_own(p, run.folder)]
        if inside.is_dir()
        else [_archive(run.folder, run.result)]
    )
    return [run.folder / f"{run.result}.txt", *power]


def detail_log(folder: Path) -> Path | None:
    """Return LoadGen's log of an inference run."""
    return next((path for path in sorted(folder.glob("mlperf_log_detail*.txt")) if _is_own(path, folder)), None)


def power_texts(run: RunFolder) -> list[PowerText]:
    """Return the power logs of a training run, nodes first, by number."""
    found = [
        PowerText(match[1], int(match[2]), name, decode(raw))
        for name, raw in _power_files(run.folder, run.result)
        if (match := _POWER_FILE.fullmatch(name))
    ]
    return sorted(found, key=lambda f: (f.kind, f.number))


def _training(folder: Path) -> list[RunFolder]:
    found = (path for path in folder.glob("result_*.txt") if _is_own(path, folder))
    results = sorted(found, key=lambda p: _natural(p.stem))
    names = _names(folder)
    return [RunFolder("training", folder, p.stem, names) for p in results if _has_power(folder, p.stem)]


def _names(folder: Path) -> dict[str, str]:
    """Return the names of a run, from its folder or its place in a repository of results."""
    parts = folder.name.split("__")
    if len(parts) in (4, 5):
        return dict(zip(_PARTS, parts, strict=False))
    if "results" not in folder.parts[1:-2]:
        return {}
    at = len(folder.parts) - 1 - folder.parts[::-1].index("results")
    found = next((match[1] for part in folder.parts if (match := _REPOSITORY.search(part))), "")
    names = dict(zip(_PARTS, (found, folder.parts[at - 1], *folder.parts[at + 1 : at + 4]), strict=False))
    return {name: text for name, text in names.items() if text}


def _is_own(path: Path, folder: Path) -> bool:
    """Return whether a file lies in the folder of its run, also by symbolic links: a downloaded folder is not ours."""
    return path.is_file() and path.resolve().is_relative_to(folder.resolve())


def _has_power(folder: Path, result: str) -> bool:
    return (folder / "power" / result).is_dir() or _is_own(_archive(folder, result), folder)


def _archive(folder: Path, result: str) -> Path:
    return folder / f"power_{result}.tar.gz"


def _power_files(folder: Path, result: str) -> Iterator[tuple[str, bytes]]:
    inside = folder / "power" / result
    if inside.is_dir():
        yield from ((path.name, path.read_bytes()) for path in inside.iterdir() if _is_own(path, folder))
        return
    left = _MOST_BYTES
    with tarfile.open(_archive(folder, result), "r:gz") as archive:
        for member in archive:
            reader = archive.extractfile(member) if member.isfile() else None
            if reader is not None:
                left -= member.size
                if left < 0:
                    problem = f"{_archive(folder, result).name} holds more than {_MOST_BYTES // 2**30} GiB"
                    raise Invalid(problem, "unpack what is needed of it into a folder", code="archive_too_large")
                yield Path(member.name).name, reader.read()


def _natural(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]
