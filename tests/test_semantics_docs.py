"""Docstrings cite docs/semantics.md by its headings; each heading that is cited exists."""

from __future__ import annotations

import re

from tests.paths import DOCS, ROOT

CITED = re.compile(r'docs/semantics\.md,\s+"([^"]+)"')


def test_every_cited_heading_exists():
    headings = set(re.findall(r"^## (.+)$", (DOCS / "semantics.md").read_text("utf-8"), re.MULTILINE))
    cited = {heading for path in (ROOT / "app").rglob("*.py") for heading in CITED.findall(path.read_text("utf-8"))}
    assert len(cited) >= 8
    assert cited - headings == set()
