"""The report of one job: what it took, how that was measured, and how to cite it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.presentation.charts import Figure
from app.presentation.jobs import JobView, present_job, present_job_figures
from app.presentation.reports import report_page as html
from app.presentation.reports.report_page import PageFiles
from app.presentation.reports.report_text import energy_with_uncertainty, method_of, product, source_of, when
from app.presentation.text import (
    MISSING,
    THIN,
    count,
    coverage,
    digits,
    duration,
    energy,
    num,
    one_of,
    pct,
    power_scale,
)
from app.services.pages import JobReportData
from app.store.jobs import Job

_FILES = (("CSV", "csv"), ("Parquet", "parquet"), ("Arrow", "arrow"), ("JSON", "json"))
_HEIGHTS = {"power": 340, "gpus": 240, "duration": 240}


def job_report(files: PageFiles, data: JobReportData, base: str) -> bytes:
    """Return the report of a job as one HTML file; `base` is the address of this server."""
    job, view = data.page.job, present_job(data.page)
    own = present_job_figures(data.figures).figures
    figures: dict[str, Figure | None] = {"power": own["power"], "gpus": own["gpus"], **view.figures}
    drawn = {key: figure for key, figure in figures.items() if figure is not None and key in _HEIGHTS}
    body = "".join(
        [
            _head(job, view),
            html.tiles(_tiles(view)),
            html.citation(job_citation(job, view)),
            html.section("Power", *(html.drawing(key, drawn[key], _HEIGHTS[key]) for key in _HEIGHTS if key in drawn)),
            html.section("How this was measured", _method(view), _gaps(view), new_page=True),
            html.section("Where the energy went", _split(view)),
            html.section("Nodes", _nodes(view)),
            html.section("Tags", html.table(("Tag", "Value"), sorted(view.tags.items())) if view.tags else ""),
            html.section("Data", _data(base, job)),
            _foot(view),
        ]
    )
    return html.page(files, f"{view.name} · {job.id}", body, drawn)


def job_citation(job: Job, view: JobView) -> str:
    """The sentence to cite a job by: what, where, when, how much, how certain, how measured, by what."""
    content = view.summary
    number = " / ".join(part for part in (view.cluster, view.job_id) if part)
    nodes = ", ".join(node.label for node in view.nodes[:4]) + (
        f" and {len(view.nodes) - 4} more" if len(view.nodes) > 4 else ""
    )
    where = f"{nodes}, {view.site.label}" if view.site.key else nodes
    until = when(view.end_ms) if view.end_ms is not None else f"{when(view.now_ms)} (still running)"
    uncertainty = content.get("uncertainty_pct")
    joules = content.get("energy_j")
    amount = energy_with_uncertainty(
        joules if isinstance(joules, float) else None, uncertainty if isinstance(uncertainty, float) else None
    )
    revision = job.summary.revision if job.summary else 0
    return (
        f"Job {job.id}{f' ({number})' if number else ''} “{view.name}”, {where}, {when(view.start_ms)} to {until}: "
        f"{amount}, covered {coverage(_share(content))} of the time, source: {source_of(content.get('source'))}, "
        f"method: {method_of(content.get('method'))}. {product()}, computed {when(view.computed_ms)}"
        f"{f', revision {revision}' if revision else ''}."
    )


def _share(content: Mapping[str, Any]) -> float:
    share = content.get("coverage")
    return share if isinstance(share, float) else 0.0


def _head(job: Job, view: JobView) -> str:
    about = [view.hardware, ", ".join(node.label for node in view.nodes[:8]), view.user, view.project, view.state]
    until = when(view.end_ms) if view.end_ms is not None else "still running"
    reported = " · ".join(html.text(part) for part in about if part)
    span = html.text(f"{when(view.start_ms)} to {until}")
    return f'<h1>{html.text(view.name)}</h1><p class="sub">{reported}<br>{span} · <code>{html.text(job.id)}</code></p>'


def _tiles(view: JobView) -> list[tuple[str, str, str]]:
    content: dict[str, Any] = dict(view.summary)
    watts = content.get("power_w") or {}
    scale = power_scale(max(watts.get("max") or 0.0, 1.0))
    joules, limit = content.get("energy_j"), content.get("uncertainty_pct")
    amount = energy(joules) if isinstance(joules, float) else MISSING
    basis = f"±{THIN}{num(limit, 1)}{THIN}%, k = 2" if isinstance(limit, float) else "uncertainty not stated"
    found = [("Energy so far" if view.running else "Energy", amount, basis)]
    of = "derived power" if content.get("power_basis") in ("derived", "mixed") else "power"
    found += [(name.capitalize(), scale.words(watts.get(name)), of) for name in ("mean", "median")]
    over_s = watts.get("max_over_s")
    highest = f"highest mean over {num(over_s)}{THIN}s" if over_s else of
    found.append(("Max", scale.words(watts.get("max")), highest))
    length = content.get("duration_s")
    found.append(("Duration", duration(length) if isinstance(length, float) else MISSING, ""))
    found.append(("Coverage", coverage(_share(content)), count(view.evidence.missing_in_all, "gap")))
    if content.get("rated_w"):
        left = f"{pct(content.get('headroom_pct'))} of rated"
        found.append(("Headroom", scale.words(content.get("headroom_w")), left))
    for unit, reported in (content.get("per") or {}).items():
        each = reported.get("j_per")
        shown = MISSING if each is None else f"{num(each, digits(each, 4))}{THIN}J"
        found.append((f"Per {one_of(unit)}", shown, f"{num(reported.get('count'))} {unit}"))
    return found


def _method(view: JobView) -> str:
    return html.facts([(fact.label, fact.text) for fact in view.evidence.facts])


def _gaps(view: JobView) -> str:
    missing = view.evidence.missing
    if not missing:
        return html.notes(["No stretch of this run is without readings."] if view.summary.get("coverage") else [])
    rows = [(when(m.from_ms), duration((m.to_ms - m.from_ms) / 1000), m.who) for m in missing]
    left = view.evidence.missing_in_all - len(missing)
    more = html.notes([f"and {left} more stretches"] if left else [])
    return html.table(("Without readings since", "for", "silent"), rows, {1}) + more


def _split(view: JobView) -> str:
    if view.split is None:
        return ""
    rows = []
    for shares in (view.split.parts, view.split.causes):
        whole = sum(share.energy_j for share in shares)
        rows += [
            (share.name, energy(share.energy_j), pct(100 * share.energy_j / whole, 1)) for share in shares if whole
        ]
    return html.table(("Part", "Energy", "Share"), rows, {1, 2}) + html.notes(view.split.notes)


def _nodes(view: JobView) -> str:
    rows = [
        (n.label, n.model, MISSING if n.energy_j is None else energy(n.energy_j), _watts(n.max_w), coverage(n.coverage))
        for n in view.nodes
    ]
    return html.table(("Node", "Model", "Energy", "Max", "Coverage"), rows, {2, 3, 4})


def _watts(w: float | None) -> str:
    return MISSING if w is None else power_scale(w).words(w)


def _data(base: str, job: Job) -> str:
    api = f"{base}/api/v1/jobs/{job.id}"
    files = [(f"Readings, {name}", f"/curve.{ending}") for name, ending in _FILES]
    rows = [(name, html.link(f"{api}{path}", f"{api}{path}")) for name, path in [*files, ("Key figures, JSON", "")]]
    rows.append(("Page", html.link(f"{base}/jobs/{job.id}", f"{base}/jobs/{job.id}")))
    return html.table(("What", "Where"), rows)


def _foot(view: JobView) -> str:
    return f"<footer>{html.text(f'{product()}, report of {when(view.now_ms)}. All times UTC.')}</footer>"
