"""Docstrings cite docs/semantics.md by its headings or the literature, and never anything outside this repository."""

from __future__ import annotations

import ast
import re

from tests.paths import DOCS, ROOT

CITED = re.compile(r'docs/semantics\.md,\s+"([^"]+)"')
PAGE = re.compile(r"\bdocs/[\w./-]+\.md\b")
SOURCE = re.compile(r"Source: ([^\n]+(?:\n[^\n]+)?)")
LITERATURE = re.compile(
    r"docs/semantics\.md|\bRFC \d|JCGM|GUM|NEC |NEMA|IEC |IEEE|VLDB|\b(?:19|20)\d\d\b|Kirchhoff|"
    r"[Mm]anual|[Uu]ser guide|reference|Documentation/|specification"
)
OUTSIDE = re.compile(
    r"/work/|shared/(?:design|data)/|\b(?:house|style|architecture|frontend)\.md\b|"
    r"\b[Ii]ssue #?\d+|(?<!MIB )\bdesign page"
)
SOURCES = [path for top in ("app", "collectors", "migrations", "frontend") for path in (ROOT / top).rglob("*")]
TEXTS = {
    path: path.read_text("utf-8")
    for path in SOURCES
    if path.suffix in (".py", ".js", ".toml", ".html", ".css") and "node_modules" not in path.parts
}


def docstrings(source):
    """Every docstring of a module, also those of attributes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def outside(text):
    return [found[0] for found in OUTSIDE.finditer(text)]


def unknown_sources(text):
    found = [re.sub(r"\s+", " ", source) for doc in docstrings(text) for source in SOURCE.findall(doc)]
    return [source for source in found if not LITERATURE.search(source)]


def test_every_cited_heading_exists():
    headings = set(re.findall(r"^## (.+)$", (DOCS / "semantics.md").read_text("utf-8"), re.MULTILINE))
    cited = {heading for text in TEXTS.values() for heading in CITED.findall(text)}
    assert len(cited) >= 8
    assert cited - headings == set()


def test_every_page_that_a_source_names_exists():
    own = {path: text for path, text in TEXTS.items() if path.suffix != ".toml"}  # profiles cite other projects' pages
    named = {page for text in own.values() for page in PAGE.findall(text)}
    assert named
    assert {page for page in named if not (ROOT / page).is_file()} == set()


def test_no_source_names_anything_outside_the_repository():
    assert {str(path.relative_to(ROOT)): found for path, text in TEXTS.items() if (found := outside(text))} == {}


def test_every_source_is_a_page_or_a_publication():
    assert {
        str(p.relative_to(ROOT)): s for p, t in TEXTS.items() if p.suffix == ".py" and (s := unknown_sources(t))
    } == {}


def test_each_room_of_formulas_has_sources():
    cited = {path.parent.name for path, text in TEXTS.items() if "app/domain" in path.as_posix() and "Source:" in text}
    assert {"energy", "capacity", "studies", "jobs", "timeseries", "rollups", "plausibility"} <= cited


def test_bad_sources_are_found():
    assert outside("see /work/shared/design/house.md") == ["/work/", "shared/design/", "house.md"]
    assert outside("as issue 11 says, and api.md") == ["issue 11"]
    assert unknown_sources('def f():\n    """Return 1.\n\n    Source: the design.\n    """') == ["the design. "]
