"""A report: one HTML file with everything in it, that opens without a network and prints on paper.

Figures are drawn by the product's own `figure.js`, which is put into the file together with plotly.js. Nothing is asked
of any host; a policy in the file forbids it. Whatever comes from people is escaped here and nowhere else.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import orjson

from app.presentation.charts import Figure

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
_IMPORT = re.compile(r"^import .*?;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


class Markup(str):
    """HTML that was made here, not given by anybody."""


def text(x: object) -> str:
    """Something as text of the page."""
    return html.escape(str(x))


def link(address: str, words: str) -> Markup:
    """A link; only http and https lead anywhere."""
    safe = address if address.startswith(("http://", "https://")) else "#"
    return Markup(f'<a href="{text(safe)}">{text(words)}</a>')


def table(head: Sequence[str], rows: Sequence[Sequence[object]], numbers: Collection[int] = ()) -> str:
    """A table of escaped cells; columns of `numbers` are right-aligned. A cell made by `link` stays one."""
    kind = ['class="num"' if i in numbers else "" for i in range(len(head))]
    titles = "".join(f'<th scope="col" {k}>{text(title)}</th>' for k, title in zip(kind, head, strict=True))
    lines = "".join(
        f"<tr>{''.join(f'<td {k}>{_cell(cell)}</td>' for k, cell in zip(kind, row, strict=True))}</tr>" for row in rows
    )
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>"


def _cell(cell: object) -> str:
    return cell if isinstance(cell, Markup) else text("" if cell is None else cell)


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Labels and what they say."""
    return f'<dl class="kv">{"".join(f"<dt>{text(label)}</dt><dd>{text(value)}</dd>" for label, value in pairs)}</dl>'


def tiles(figures: Sequence[tuple[str, str, str]]) -> str:
    """Key figures: label, value, basis; the first leads."""
    made = [
        f'<div class="kpi{"" if i else " lead"}"><div class="k">{text(label)}</div><div class="v">{text(value)}</div>'
        f'<div class="s">{text(basis)}</div></div>'
        for i, (label, value, basis) in enumerate(figures)
    ]
    return f'<section class="kpis">{"".join(made)}</section>'


def notes(sentences: Sequence[str]) -> str:
    """Small print."""
    return "".join(f'<p class="note">{text(sentence)}</p>' for sentence in sentences if sentence)


def section(title: str, *parts: str, new_page: bool = False) -> str:
    """A headed part of the report; empty without anything in it."""
    body = "".join(part for part in parts if part)
    return f'<section class="{"sheet" if new_page else "part"}"><h2>{text(title)}</h2>{body}</section>' if body else ""


def drawing(key: str, figure: Figure, height_px: int = 300) -> str:
    """Where a figure is drawn, under its own sentence."""
    if figure["empty"]:
        reported = figure["empty"]
        return f'<div class="state"><b>{text(reported["what"])}</b><span>{text(reported["why"])}</span></div>'
    note_list = notes(figure.get("notes", []))
    unit = f'<span class="u">{text(figure["unit"])}</span>'
    caption = f"<figcaption><b>{text(figure['title'])}</b> {unit}</figcaption>"
    plot = f'<div class="plot" data-figure="{text(key)}" style="height:{height_px}px"></div>'
    return f"<figure>{caption}{plot}{note_list}</figure>"


def citation(sentence: str) -> str:
    """How to cite the report."""
    return f'<section class="cite"><h2>How to cite</h2><p id="citation">{text(sentence)}</p></section>'


@dataclass(frozen=True)
class PageFiles:
    """The content of the dashboard's files that a report carries."""

    styles: Sequence[str]
    scripts: Sequence[str]
    plotly: bytes


def page(files: PageFiles, title: str, body: str, figures: Mapping[str, Figure]) -> bytes:
    """Return the file: style, body, plotly.js once, the figures as data, and the scripts that draw them."""
    style = "".join(files.styles)
    script = "".join(_bare(source) for source in files.scripts)
    drawn = {key: figure for key, figure in figures.items() if not figure["empty"]}
    data = orjson.dumps(drawn, option=orjson.OPT_SERIALIZE_NUMPY).replace(b"<", b"\\u003c")
    head = (
        f'<!doctype html>\n<html lang="en" data-theme="light"><head><meta charset="utf-8"><title>{text(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{text(POLICY)}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>'
    )
    module = _inside_script(script.encode())
    parts = (
        head.encode(),
        f"<body><main>{body}</main><script>".encode(),
        _inside_script(files.plotly),
        b'</script><script type="application/json" id="figures">',
        data,
        b'</script><script type="module">',
        module,
        b"</script></body></html>\n",
    )
    return b"".join(parts)


def _bare(module: str) -> str:
    """A module without its imports and exports: in one file they are neighbours."""
    return _EXPORT.sub("", _IMPORT.sub("", module))


def _inside_script(source: bytes) -> bytes:
    """A script that cannot end its element early."""
    return source.replace(b"</script", b"<\\/script").replace(b"<!--", b"<\\!--")
