"""Read an MLPerf run from its folder: window, rows of its nodes, and the official figure for comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from app.domain.mlperf import (
    OfficialComparison,
    compare_inference,
    compare_training,
    inference_result,
    rule_of,
    training_result,
)
from app.domain.timeseries import Curve, from_samples
from app.errors import Invalid
from app.importers.mlperf.folder import METER_LOG, PowerText, RunFolder, detail_log, power_texts
from app.importers.mlperf.loadgen import Marks, read_marks
from app.importers.mlperf.ptdaemon import raw_watts, read_ptdaemon
from app.importers.mlperf.training import PowerFile, RunWindow, read_power, read_window
from app.importers.tables import MeterLog, decode, plausible

CLUSTER = "mlperf"
_SCENARIOS = ("Offline", "Server", "SingleStream", "MultiStream", "Interactive")
_GAPS = 3


@dataclass(frozen=True)
class RunNode:
    """One metered machine of a run. key: of the node; is_node: False for a switch, which has only a meter."""

    key: str
    log: MeterLog
    is_node: bool = True


@dataclass(frozen=True)
class MlperfRun:
    """One MLPerf run.

    Attributes
    ----------
    key: its identity among MLPerf runs.
    start_ms, end_ms: the measured window (inference) or run_start to run_stop (training), UTC.
    comparison: the official figure and ours; None if the official rule cannot be applied.
    """

    key: str
    name: str
    user: str
    start_ms: int
    end_ms: int
    tags: dict[str, str]
    nodes: tuple[RunNode, ...]
    comparison: OfficialComparison | None


def read_run(run: RunFolder, tz: ZoneInfo) -> MlperfRun:
    """Read the run in a folder.

    Raises
    ------
    Invalid
        A log has not the format of its name, or the run has no window.
    """
    return _inference(run, tz) if run.kind == "inference" else _training(run)


def _inference(run: RunFolder, tz: ZoneInfo) -> MlperfRun:
    detail = detail_log(run.folder)
    if detail is None:
        raise Invalid(
            f"{run.folder.name}: no mlperf_log_detail", "the time of the run is read from it", code="no_marks"
        )
    marks = read_marks(decode(detail.read_bytes()), detail.name, tz)
    text = decode((run.folder / METER_LOG).read_bytes())
    log = read_ptdaemon(text, f"{run.folder.name}/{METER_LOG}", tz).without_zeros(marks.begin_ms, marks.end_ms)
    scenario = _written(run.names.get("scenario", marks.scenario))
    tags = {"suite": "mlperf-inference", **run.names, "scenario": scenario}
    if marks.queries is not None and scenario != "Offline":
        tags["queries"] = str(marks.queries)
    if marks.samples is not None:
        tags["per:samples"] = str(marks.samples)
    return MlperfRun(
        key=run.key,
        name=" ".join([run.names.get("benchmark", run.folder.name), scenario]),
        user=run.names.get("submitter", ""),
        start_ms=marks.begin_ms,
        end_ms=marks.end_ms,
        tags=tags,
        nodes=(RunNode(run.system, log),),
        comparison=_compared_inference(text, log, marks, scenario, tz),
    )


def _written(scenario: str) -> str:
    """Return a scenario in LoadGen's spelling: folders use `offline` and `Offline`."""
    return next((known for known in _SCENARIOS if known.lower() == scenario.lower()), scenario)


def _compared_inference(
    text: str, log: MeterLog, marks: Marks, scenario: str, tz: ZoneInfo
) -> OfficialComparison | None:
    t_ms, watts = raw_watts(text, tz)
    result = inference_result(t_ms, watts, marks.begin_ms, marks.end_ms, scenario, marks.scenario, marks.queries)
    if not result.samples:
        return None
    found = compare_inference(result, curve_of(log), marks.begin_ms, marks.end_ms)
    return _of_accepted(found, [log], marks.begin_ms, marks.end_ms)


def _training(run: RunFolder) -> MlperfRun:
    window_file = run.folder / f"{run.result}.txt"
    window = read_window(decode(window_file.read_bytes()), window_file.name)
    meters = [_meter(run, text, window) for text in power_texts(run)]
    benchmark = run.names.get("benchmark", window.benchmark or run.folder.name)
    number = run.result.removeprefix("result_")
    tags = {"suite": "mlperf-training", **run.names, "benchmark": benchmark, "run": number}
    if window.status:
        tags["status"] = window.status
    return MlperfRun(
        key=run.key,
        name=f"{benchmark} {number}",
        user=run.names.get("submitter", ""),
        start_ms=window.start_ms,
        end_ms=window.stop_ms,
        tags={**tags, "nodes": str(sum(node.is_node for node, _ in meters))},
        nodes=tuple(node for node, _ in meters if len(node.log.t_ms)),
        comparison=_compared_training(meters, window, run.names.get("round", "")),
    )


def _meter(run: RunFolder, text: PowerText, window: RunWindow) -> tuple[RunNode, PowerFile]:
    is_node = text.kind == "node"
    file = read_power(text.text, f"{run.result}/{text.name}")
    log = file.log.without_zeros(window.start_ms, window.stop_ms) if is_node else file.log
    return RunNode(f"{run.system}-{'node' if is_node else 'switch'}-{text.number}", log, is_node), file


def _compared_training(
    meters: Sequence[tuple[RunNode, PowerFile]], window: RunWindow, round_name: str
) -> OfficialComparison | None:
    logs = [file.official for node, file in meters if node.is_node]
    curves = [curve_of(node.log) for node, _ in meters if node.is_node]
    switches = [file.official.conversion_eff * file.interconnect_w for _, file in meters if file.interconnect_w]
    try:
        rule = rule_of(round_name, logs)
        result = training_result(logs, switches, window.start_ms, window.stop_ms, rule)
    except ValueError:
        return None
    if not logs:
        return None
    found = compare_training(result, curves, window.start_ms, window.stop_ms)
    return _of_accepted(found, [node.log for node, _ in meters if node.is_node], window.start_ms, window.stop_ms)


def _of_accepted(found: OfficialComparison, logs: Sequence[MeterLog], start_ms: int, end_ms: int) -> OfficialComparison:
    """Return a comparison without the readings that the server refuses."""
    accepted = [plausible(log) for log in logs]
    if all(now is log for now, log in zip(accepted, logs, strict=True)):
        return found
    return found.without_refused([curve_of(log) for log in accepted], start_ms, end_ms)


def curve_of(log: MeterLog) -> Curve:
    """Return the power curve of a log as the server computes it from the stored rows."""
    if log.power_w is None:
        return Curve.empty()
    return from_samples(log.t_ms, log.power_w, log.interval_ms, _GAPS * log.interval_ms)
