"""Plan an import: which meters, nodes and jobs come from which files."""

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
    """One stream to store. node: the node it powers (`on_board`: whose GPUs it reads), None without one."""

    device: str
    log: MeterLog
    node: str | None = None
    on_board: bool = False


@dataclass(frozen=True)
class PlannedJob:
    """A job to register. cluster, key and start identify it, so that a second import finds it."""

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
    """The contents of one item of the plan."""

    meters: tuple[Meter, ...]
    job: PlannedJob | None


@dataclass(frozen=True)
class ImportOptions:
    """Options of an import: names of the meter and the node, zone of local times, format, tags of the job."""

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
        """Its name in messages."""
        return self.source.name if isinstance(self.source, Path) else self.source.key

    @property
    def size(self) -> int:
        """Size of its files in bytes."""
        files = [self.source] if isinstance(self.source, Path) else files_of(self.source)
        return sum(path.stat().st_size for path in files if path.is_file())

    def load(self, options: ImportOptions) -> Loaded:
        """Read its files.

        Raises
        ------
        Invalid, OSError
            It cannot be read, or has another format than expected.
        """
        loaded = _log(self.source, options) if isinstance(self.source, Path) else _run(self.source, options)
        if not any(len(meter.log.t_ms) for meter in loaded.meters):
            raise Invalid(f"{self.name}: no valid row", _counted(loaded.meters), code="empty_log")
        return loaded


def plan(paths: Sequence[Path], options: ImportOptions) -> list[Item]:
    """Return the runs and logs of some files and folders.

    Raises
    ------
    Invalid
        A path does not exist, a folder holds no MLPerf run, or one name was given for runs of several systems.
    """
    if options.format not in FORMATS:
        raise Invalid(f"no format {options.format!r}", f"one of {', '.join(FORMATS)}", code="unknown_format")
    items = [item for path in paths for item in _items(path, options.format)]
    systems = sorted({item.source.system for item in items if isinstance(item.source, RunFolder)})
    if len(systems) > 1 and (options.device or options.node):
        raise Invalid(
            f"one name for {len(systems)} different systems: {', '.join(systems[:5])}",
            "import them one by one, or omit --device and --node",
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


def _run(folder: RunFolder, options: ImportOptions) -> Loaded:
    run = read_run(folder, options.tz)
    lone = len(run.nodes) == 1
    meters = tuple(
        Meter(
            device=_given(options.device, node.key, folder.system, lone) or f"{node.key}-meter",
            log=node.log,
            node=(_given(options.node, node.key, folder.system, lone) or node.key) if node.is_node else None,
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
        tags={**run.tags, **_official(run.comparison), **options.tags},
        comparison=run.comparison,
    )
    return Loaded(meters, job if options.as_job and nodes else None)


def _given(name: str | None, key: str, system: str, lone: bool) -> str | None:
    """Return a given name: unchanged for one meter, with the suffix of the meter for several."""
    return name if lone or name is None else name + key.removeprefix(system)


def _log(path: Path, options: ImportOptions) -> Loaded:
    logs = read_log(path, options.tz, options.format)
    stem = key_of(path.stem)
    device = options.device or f"{stem}-meter"
    node = options.node or (f"{options.device}-node" if options.device else stem)
    wanted = options.node is not None or options.as_job
    on_board = logs[0].format == nvidia_smi.FORMAT if logs else False
    meters = tuple(Meter(device, log, node if wanted else None, on_board) for log in logs)
    full = [log for log in logs if len(log.t_ms)]
    if not (options.as_job and full):
        return Loaded(meters, None)
    start_ms = min(int(log.t_ms[0]) for log in full)
    end_ms = max(int(log.t_ms[-1]) for log in full)
    tags = {"source": path.name, **options.tags}
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
    return "dropped: " + (", ".join(f"{n} {reason}" for reason, n in reasons.items()) or "nothing, it is empty")
