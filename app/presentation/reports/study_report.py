"""The report of a study: groups of runs with figures, every run, how it was measured, and how to cite it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from app.domain.studies import Ratio, Spread
from app.presentation.charts import Figure
from app.presentation.reports import report_page as html
from app.presentation.reports.report_page import PageFiles
from app.presentation.reports.report_text import METHODS, product, source_of, when
from app.presentation.studies import bars, cap_figures, group_label, height_px, overlay_view, run_name, study_warnings
from app.presentation.text import MISSING, THIN, Unit, coverage, duration, num, one_of, unit_of, with_scatter
from app.services.studies import COMPARED, Comparison, Groups, K, PowerCaps, RunGroup, StudyCurves

MOST_RUNS = 500
_TITLES = {"energy_j": "Energy", "mean_power_w": "Mean power", "duration_s": "Run time", "max_power_w": "Max power"}


def study_report(
    files: PageFiles, comparison: Comparison, drawn: StudyCurves, where: Sequence[str], api: str, page: str
) -> bytes:
    """Return the report of a comparison with groups as one HTML file.

    Parameters
    ----------
    drawn: curves of the runs. where: the filters in words.
    api, page: addresses of the same groups on this server.
    """
    found = comparison.found
    assert found is not None  # the caller asked for groups
    curves, caps = overlay_view(found, drawn, "fraction", "node"), comparison.caps
    figures: dict[str, Figure] = {**bars(found), **curves.figures, **(cap_figures(caps) if caps else {})}
    warnings = study_warnings(found)
    title = _by(found).capitalize()
    body = "".join(
        [
            f'<h1>{html.text(title)}</h1><p class="sub">{html.text(_about(found, where))}</p>',
            f'<div class="warned">{html.notes(warnings)}</div>' if warnings else "",
            html.citation(study_citation(found, where, _site(comparison), comparison.now_ms)),
            html.section("Groups", _groups(found), html.notes(_basis(found))),
            html.section("Energy, power, time", _drawn(figures, bars(found), height_px(len(found.groups)))),
            html.section("Curves", _drawn(figures, curves.figures, 340), html.notes([curves.note])),
            html.section("Against the reference", *_caps(caps, figures), new_page=True) if caps else "",
            html.section("Every run", _runs(found), new_page=True),
            html.section("Excluded jobs", _excluded(found)),
            html.section("Data", _data(api, page)),
            f"<footer>{html.text(f'{product()}, report of {when(comparison.now_ms)}. All times UTC.')}</footer>",
        ]
    )
    return html.page(files, title, body, figures)


def _site(comparison: Comparison) -> str:
    return comparison.site.label if comparison.site.key else ""


def study_citation(found: Groups, where: Sequence[str], site: str, now_ms: int) -> str:
    """Return the sentence to cite a study by; its runs and their revisions are listed in its table."""
    runs = found.runs
    if not runs:
        return f"No run is included. {product()}, {when(now_ms)}."
    first, last = min(run.job.start_ms for run in runs), max(run.job.end_ms or run.job.start_ms for run in runs)
    unit = unit_of("energy_j", max(group.figures["energy_j"].mean for group in found.groups))
    energies = "; ".join(
        f"{group_label(g)} {_scatter(g.figures['energy_j'], unit)} {unit.name} (n = {len(g.runs)})"
        for g in found.groups[:8]
    )
    more = f"; and {len(found.groups) - 8} more groups" if len(found.groups) > 8 else ""
    sources = ", ".join(sorted({source_of(group.source) for group in found.groups}))
    narrowed = f" ({', '.join(where)})" if where else ""
    at = f", {site}" if site else ""
    worst = coverage(min(group.coverage for group in found.groups))
    return (
        f"{len(runs)} {_by(found)}{narrowed}{at}, {when(first)} to {when(last)}. "
        f"Energy, mean ± sample standard deviation: {energies}{more}. "
        f"Covered at least {worst} of the time, source: {sources}, "
        f"method: {METHODS[found.method]} for all runs{_limits(found)}. {product()}, {when(now_ms)}."
    )


def _by(found: Groups) -> str:
    return "chosen runs" if found.by == ["id"] else f"runs by {' and '.join(found.by)}"


def _limits(found: Groups) -> str:
    limits = [group.uncertainty_pct for group in found.groups]
    if None in limits or not limits:
        return ", uncertainty of the meters not stated"
    return f", uncertainty of the meters at most {num(max(x for x in limits if x is not None), 1)}{THIN}% (k = {K})"


def _about(found: Groups, where: Sequence[str]) -> str:
    narrowed = f", {', '.join(where)}" if where else ""
    return f"{len(found.runs)} runs in {len(found.groups)} groups{narrowed}"


def _basis(found: Groups) -> list[str]:
    ratios = (
        "Ratios are of the means; their ± is propagated to first order from both standard deviations, runs taken as "
        "independent. What the meters of both have in common cancels."
    )
    return [
        f"Mean ± sample standard deviation (ddof = 1) of n runs. Method for all of them: {METHODS[found.method]}: "
        f"{found.method_why}.",
        ratios if found.reference else "",
        f"Uncertainty is that of the meters, expanded with k = {K}, the largest of a group's runs. Coverage is that of "
        "the worst run; gaps are not filled in.",
    ]


def _groups(found: Groups) -> str:
    groups = found.groups
    shown = [name for name in _TITLES if any(not math.isnan(group.figures[name].mean) for group in groups)]
    units = {name: unit_of(name, max(_known(group.figures[name].mean) for group in groups)) for name in shown}
    per = sorted({unit for group in groups for unit in group.per})
    compared = [*COMPARED, *per] if found.reference else []
    head = [" · ".join(found.by), "n", *(f"{_TITLES[name]}, {units[name].name}" for name in shown)]
    head += [f"J per {one_of(unit)}" for unit in per] + [f"{_ratio_name(name)} ×" for name in compared]
    head += ["Coverage", f"u, % (k = {K})"]
    rows = [_group(group, shown, units, per, compared) for group in groups]
    return html.table(head, rows, range(1, len(head)))


def _group(
    group: RunGroup, shown: Sequence[str], units: Mapping[str, Unit], per: Sequence[str], compared: Sequence[str]
) -> list[object]:
    cells: list[object] = [group_label(group), len(group.runs)]
    cells += [_scatter(group.figures[name], units[name]) for name in shown]
    cells += [with_scatter(group.per[unit].mean, group.per[unit].std) if unit in group.per else MISSING for unit in per]
    cells += [_times((group.ratios or {}).get(name)) for name in compared]
    return [*cells, coverage(group.coverage), num(group.uncertainty_pct, 1)]


def _ratio_name(name: str) -> str:
    return _TITLES.get(name, f"J per {one_of(name)}")


def _scatter(spread: Spread, unit: Unit) -> str:
    return with_scatter(spread.mean / unit.per, spread.std / unit.per)


def _known(x: float) -> float:
    return 0.0 if math.isnan(x) else x


def _times(ratio: Ratio | None) -> str:
    return MISSING if ratio is None else with_scatter(ratio.value, ratio.std)


def _drawn(figures: Mapping[str, Figure], names: Mapping[str, object], height: int) -> str:
    return "".join(html.drawing(name, figures[name], height) for name in names)


def _caps(study: PowerCaps, figures: Mapping[str, Figure]) -> list[str]:
    head = [study.by, "n", "Energy gain, %", "Performance loss, %", "Difference, points", "EDP", "EDP gain, %"]
    head += [text for k in study.ks for text in (f"EDS, k = {k:g}", "gain, %")]
    rows = []
    for cap in study.caps:
        c = cap.comparison
        eds = [x for k in study.ks for x in (num(c.eds[k], 4), num(c.eds_gain_pct(k), 2))]
        gain, loss, net = (num(x, 2) for x in (c.energy_gain_pct, c.performance_loss_pct, c.net_points))
        rows.append([f"{cap.cap:g}", len(cap.group.runs), gain, loss, net, num(c.edp, 4), num(c.edp_gain_pct, 2), *eds])
    best = [(f"Highest {name.replace('_pct', '').replace('_', ' ')}", at) for name, at in study.best.items()]
    best += [(f"Highest EDS gain, k = {k:g}", at) for k, at in study.best_eds.items()]
    highest = [f"{name}: {num(at.value, 2)} at {study.by} = {at.cap:g}." for name, at in best]
    rule = (
        "Energy gain = 100 (1 − E/E_ref), performance loss = 100 (t/t_ref − 1), EDP = E·t relative to the reference, "
        "EDS_k = αE + βt with α = (k − 1)/(k·E_ref), β = 1/(k·t_ref)."
    )
    drawn = _drawn(figures, {"gains": None, "costs": None}, 300)
    return [drawn, html.table(head, rows, range(1, len(head))), html.notes([" ".join(highest), rule])]


def _runs(found: Groups) -> str:
    rows = [
        (
            group_label(group), run_name(run), run.job.id, when(run.job.start_ms), duration(run.duration_s),
            num(run.energy_j / 3.6e6, 4), num(run.mean_w, 1), coverage(run.coverage), run.source, run.revision,
        )
        for group in found.groups
        for run in group.runs
    ]  # fmt: skip
    head = ("Group", "Run", "Id", "Started", "Run time", "kWh", "Mean W", "Coverage", "Source", "Rev.")
    more = html.notes([f"and {len(rows) - MOST_RUNS} more runs" if len(rows) > MOST_RUNS else ""])
    return html.table(head, rows[:MOST_RUNS], {4, 5, 6, 7, 9}) + more


def _excluded(found: Groups) -> str:
    if not found.excluded:
        return ""
    rows = [(job.name, job.id, job.detail) for job in found.excluded[:MOST_RUNS]]
    return html.table(("Job", "Id", "Why"), rows)


def _data(api: str, page: str) -> str:
    path, _, query = api.partition("?")
    rows = [
        ("Groups, JSON", html.link(api, api)),
        ("Groups, CSV", html.link(f"{path}.csv?{query}", f"{path}.csv?{query}")),
        ("Page", html.link(page, page)),
    ]
    return html.table(("What", "Where"), rows)
