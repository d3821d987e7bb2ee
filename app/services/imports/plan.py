"""What an import is going to do: which meters, nodes and jobs come from which files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zoneinfo import ZoneInfo

from app.domain.mlperf import OfficialComparison
from app.errors import Invalid
from app.importers.meters import FORMATS, nvidia_smi, read_log
from app.importers.mlperf import CLUSTER, RunFolder, files_of, find_runs, key_of, read_run, training
from app.importers.tables import MeterLog

LOGS = "import"


@dataclass(frozen=True)
class Meter:
    """One stream to store. node: the node it powers (`on_board`: whose GPUs it reads), None for a meter by itself."""

    device: str
    log: MeterLog
    node: str | None = None
    on_board: bool = False


@dataclass(frozen=True)
class PlannedJob:
    """A job to register. cluster, key and start identify it, so that importing again finds it."""

    cluster: str
    key: str
    name: str
    user: str
    start_ms: int
    end_ms: int
    nodes: tuple[str, ...]
    tags: Mapping[str, str]
    comparison: OfficialComparison | None = None


@dataclass(frozen=True)
class Loaded:
    """What one item of the plan holds, read."""

    meters: tuple[Meter, ...]
    job: PlannedJob | None


@dataclass(frozen=True)
class Wishes:
    """What the person asked for: names of the meter and the node, zone of local times, format, tags of the job."""

    tz: ZoneInfo
    device: str | None = None
    node: str | None = None
    as_job: bool = False
    format: str = "auto"
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    """One run or one log file, not yet read."""

    source: RunFolder | Path

    @property
    def name(self) -> str:
        """For messages."""
        return self.source.name if isinstance(self.source, Path) else self.source.key

    @property
    def size(self) -> int:
        """Bytes it is read from."""
        files = [self.source] if isinstance(self.source, Path) else files_of(self.source)
        return sum(path.stat().st_size for path in files if path.is_file())

    def load(self, wishes: Wishes) -> Loaded:
        """Read it.

        Raises
        ------
        Invalid, OSError
            It cannot be read, or is not what it seemed.
        """
        loaded = _log(self.source, wishes) if isinstance(self.source, Path) else _run(self.source, wishes)
        if not any(len(meter.log.t_ms) for meter in loaded.meters):
            raise Invalid(f"{self.name}: no row that can be believed", _counted(loaded.meters), code="empty_log")
        return loaded


def plan(paths: Sequence[Path], wishes: Wishes) -> list[Item]:
    """The runs and logs of some files and folders.

    Raises
    ------
    Invalid
        A path does not exist, a folder holds no MLPerf run, or one name was given for runs of several systems.
    """
    if wishes.format not in FORMATS:
        raise Invalid(f"no format {wishes.format!r}", f"one of {', '.join(FORMATS)}", code="unknown_format")
    items = [item for path in paths for item in _items(path, wishes.format)]
    systems = sorted({item.source.system for item in items if isinstance(item.source, RunFolder)})
    if len(systems) > 1 and (wishes.device or wishes.node):
        raise Invalid(
            f"one name for {len(systems)} different systems: {', '.join(systems[:5])}",
            "import them one by one, or leave --device and --node out",
            code="several_systems",
        )
    return items


def _items(path: Path, fmt: str) -> list[Item]:
    if not path.exists():
        raise Invalid(f"no file {path}", "check the path", code="no_file")
    runs = find_runs(path) if fmt in ("auto", training.FORMAT) else []
    if path.is_dir() and not runs:
        raise Invalid(f"{path}: no MLPerf run in this folder", "name the log files themselves", code="no_run")
    return [Item(run) for run in runs] or [Item(path)]


def _run(folder: RunFolder, wishes: Wishes) -> Loaded:
    run = read_run(folder, wishes.tz)
    lone = len(run.nodes) == 1
    meters = tuple(
        Meter(
            device=_given(wishes.device, node.key, folder.system, lone) or f"{node.key}-meter",
            log=node.log,
            node=(_given(wishes.node, node.key, folder.system, lone) or node.key) if node.is_node else None,
        )
        for node in run.nodes
    )
    nodes = tuple(dict.fromkeys(meter.node for meter in meters if meter.node))
    job = PlannedJob(
        cluster=CLUSTER,
        key=run.key,
        name=run.name,
        user=run.user,
        start_ms=run.start_ms,
        end_ms=run.end_ms,
        nodes=nodes,
        tags={**run.tags, **_official(run.comparison), **wishes.tags},
        comparison=run.comparison,
    )
    return Loaded(meters, job if wishes.as_job and nodes else None)


def _given(name: str | None, key: str, system: str, lone: bool) -> str | None:
    """A name the person gave: as it is for one meter, with the meter's own suffix for several."""
    return name if lone or name is None else name + key.removeprefix(system)


def _log(path: Path, wishes: Wishes) -> Loaded:
    logs = read_log(path, wishes.tz, wishes.format)
    stem = key_of(path.stem)
    device = wishes.device or f"{stem}-meter"
    node = wishes.node or (f"{wishes.device}-node" if wishes.device else stem)
    wanted = wishes.node is not None or wishes.as_job
    on_board = logs[0].format == nvidia_smi.FORMAT if logs else False
    meters = tuple(Meter(device, log, node if wanted else None, on_board) for log in logs)
    full = [log for log in logs if len(log.t_ms)]
    if not (wishes.as_job and full):
        return Loaded(meters, None)
    start_ms = min(int(log.t_ms[0]) for log in full)
    end_ms = max(int(log.t_ms[-1]) for log in full)
    tags = {"source": path.name, **wishes.tags}
    return Loaded(meters, PlannedJob(LOGS, f"{device}/{stem}", stem, "", start_ms, end_ms, (node,), tags))


def _official(comparison: OfficialComparison | None) -> dict[str, str]:
    if comparison is None:
        return {}
    return {
        "official_rule": comparison.rule,
        "official_energy_j": f"{comparison.official_energy_j:.3f}",
        "official_mean_w": f"{comparison.official_mean_w:.6g}",
        "official_difference_pct": f"{comparison.difference_pct:+.3f}",
        "official_why": comparison.why(),
    }


def _counted(meters: Sequence[Meter]) -> str:
    reasons = {reason: n for meter in meters for reason, n in meter.log.rejected.items()}
    return "left out: " + (", ".join(f"{n} {reason}" for reason, n in reasons.items()) or "nothing, it is empty")
