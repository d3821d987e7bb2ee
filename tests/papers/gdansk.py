"""Paper 2: one training under power caps from 100 to 260 W on 1, 2, 4 and 8 GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.studies.study import Configuration, compare
from tests.papers.drawing import Line, chart
from tests.papers.published import BEST_GAINS, SPEED_UPS, TABLE_1, TIMES
from tests.papers.queries import Result, Server
from tests.papers.text import number, points, table

REFERENCE_W = 260.0


def study_name(gpus: int) -> str:
    """Return the name of the study with this number of GPUs."""
    return f"gdansk-{gpus}"


def from_published() -> str:
    """Return the metrics that follow from the published run times and difference alone, by our definitions."""
    loss = 100 * (TIMES[8, 170] / TIMES[8, 260] - 1)
    gain = 15.03 + loss
    found = compare(Configuration(1 - gain / 100, TIMES[8, 170]), Configuration(1.0, TIMES[8, 260]))
    rows = [
        ["performance loss", "–", number(loss, 2)],
        ["energy gain = difference + loss", "–", number(gain, 2)],
        ["EDP gain", "17.32", number(found.edp_gain_pct, 2)],
        ["EDS gain, k = 2.0", "7.52", number(found.eds_gain_pct(2.0), 2)],
        ["EDS gain, k = 1.5 (best at 200 W: 2.26)", "–", number(found.eds_gain_pct(1.5), 2)],
    ]
    return table(("at 170 W against 260 W", "published %", "follows %"), rows)


def table_1(server: Server) -> str:
    """Return table 1 from the simulated sweep of all eight GPUs."""
    best = server.power_caps(study_name(8), REFERENCE_W)["best"]
    flat = {**best, **best["eds_gain_pct"]}
    rows = []
    for words, key, gain, cap in TABLE_1:
        found = flat[key]["value"]
        rows.append([words, number(gain, 2), number(found, 2), points(found, gain), str(cap), f"{flat[key]['cap']:g}"])
    return table(("metric", "published gain %", "obtained", "off, points", "published cap W", "obtained"), rows)


def idle_gpus(server: Server) -> str:
    """Return the energy gain at the best cap and the run times, by the number of busy GPUs."""
    studies = {gpus: server.power_caps(study_name(gpus), REFERENCE_W) for gpus in (1, 2, 4, 8)}
    rows = []
    for gpus, study in studies.items():
        best = study["best"]["energy_gain_pct"]
        about = "" if gpus == 8 else "≈ "
        cells = [str(gpus), about + BEST_GAINS[gpus], number(best["value"], 2), f"{best['cap']:g}"]
        for cap_w in (260, 170):
            published = TIMES.get((gpus, cap_w))
            cells += ["–" if published is None else number(published, 1), number(_time(study, cap_w), 1)]
        rows.append(cells)
    head = ("GPUs at work", "published gain %", "obtained", "at W", "260 W: s", "obtained", "170 W: s", "obtained")
    return table(head, rows) + "\n" + _speed_ups(studies)


def _speed_ups(studies: Mapping[int, Result]) -> str:
    rows = []
    for (gpus, cap_w), published in SPEED_UPS.items():
        found = _time(studies[1], cap_w) / _time(studies[gpus], cap_w)
        rows.append([f"{gpus} GPUs at {cap_w} W", f"{published:g}", number(found, 2)])
    return table(("speed-up over one GPU", "published", "obtained"), rows)


def _time(study: Result, cap_w: float) -> float:
    return float(next(cap["duration_s"]["mean"] for cap in study["caps"] if cap["cap"] == cap_w))


def figures(server: Server) -> Mapping[str, str]:
    """Return figures 2 to 7 from the simulated sweep, by file name."""
    studies = {gpus: server.power_caps(study_name(gpus), REFERENCE_W) for gpus in (1, 2, 4, 8)}
    eight = studies[8]["caps"]
    gains = [_line(f"{gpus} of 8 GPUs", study["caps"], "energy_gain_pct") for gpus, study in studies.items()]
    loss, difference = (_line("8 GPUs", eight, key) for key in ("performance_loss_pct", "difference_pct"))
    edp = _line("8 GPUs", eight, "edp_j_s", 1e-6)
    caps = [cap["cap"] for cap in eight]
    eds = [Line(f"EDS, k = {k}", caps, [cap["eds"][k] for cap in eight], dots=True) for k in ("1.5", "2.0")]
    return {
        "gdansk-2-energy.svg": _by_cap("Figure 2: energy decrease against 260 W", "%", *gains),
        "gdansk-3-time.svg": _by_cap("Figure 3: run time increase, 8 GPUs", "%", loss),
        "gdansk-4-edp.svg": _by_cap("Figure 4: EDP, 8 GPUs", "MJ·s", edp),
        "gdansk-5-eds.svg": _by_cap("Figure 5: EDS, 8 GPUs", "1", *eds),
        "gdansk-6-difference.svg": _by_cap("Figure 6: gain − loss, 8 GPUs", "points", difference),
        "gdansk-7-times.svg": chart("Figure 7: training time, simulated", "GPUs at work", "s", _times(studies)),
    }


def _line(label: str, caps: Sequence[Result], key: str, scale: float = 1.0) -> Line:
    return Line(label, [cap["cap"] for cap in caps], [cap[key] * scale for cap in caps], dots=True)


def _by_cap(title: str, unit: str, *lines: Line) -> str:
    return chart(f"{title}, simulated", "power cap of each GPU [W]", unit, lines)


def _times(studies: Mapping[int, Result]) -> list[Line]:
    return [
        Line(f"{cap_w} W", list(studies), [_time(study, cap_w) for study in studies.values()], dots=True)
        for cap_w in (260, 170)
    ]
