"""Links in the documents: every file and heading that one document links to exists."""

import re
from pathlib import Path

import pytest

from tests.paths import ROOT

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
LINK = re.compile(r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]+))?\)")


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: Path) -> list[str]:
    """Return the links of a page that lead nowhere."""
    found = []
    for file, anchor in LINK.findall(page.read_text("utf-8")):
        target = page.parent / file if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            found.append(f"{file}#{anchor}" if anchor else file)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path):
    assert broken(page) == []


def test_it_finds_a_broken_link(tmp_path: Path):
    (tmp_path / "a.md").write_text(
        "# How it works\n[b](b.md) [c](#how-it-works) [d](a.md#nothing) [e](https://e.org/x)"
    )
    assert broken(tmp_path / "a.md") == ["b.md", "a.md#nothing"]
