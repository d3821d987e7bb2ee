"""Plain English: the words listed in `words.toml` stay out of docstrings, strings, comments, pages and documents."""

from __future__ import annotations

import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT

LIST = tomllib.loads((ROOT / "tests" / "words.toml").read_text("utf-8"))
WORDS = [(re.compile(word, re.IGNORECASE), instead) for word, instead in LIST["instead"].items()]
ALLOWED = re.compile("|".join(map(re.escape, LIST["allowed"]["phrases"])), re.IGNORECASE)
TOPS = (
    "app",
    "collectors",
    "frontend",
    "docs",
    "migrations",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
)
PROSE = {".md", ".html", ".toml", ".js", ".css", ".sh"}


def python_text(source: str) -> Iterator[tuple[int, str]]:
    """Docstrings, strings and comments with their lines; names are code and follow the glossary."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT) or tokenize.tok_name[token.type].startswith("FSTRING_M"):
            for i, line in enumerate(token.string.split("\n")):
                yield token.start[0] + i, line


def script_text(source: str) -> Iterator[tuple[int, str]]:
    """Comments and quoted text of a script, roughly: what holds a space or begins a comment."""
    for number, line in enumerate(source.split("\n"), 1):
        for found in re.findall(r"//.*|'[^']* [^']*'|`[^`]* [^`]*`|\"[^\"]* [^\"]*\"|^\s*\*.*|>[^<>{}]*<", line):
            yield number, re.sub(r"\$\{[^}]*\}", "", found)


def text_of(path: Path) -> Iterator[tuple[int, str]]:
    source = path.read_text("utf-8")
    if path.suffix == ".py":
        return python_text(source)
    if path.suffix == ".js":
        return script_text(source)
    return iter(enumerate(source.split("\n"), 1))


def findings(path: Path) -> Iterator[str]:
    for number, line in text_of(path):
        plain = ALLOWED.sub("", line)
        for word, instead in WORDS:
            if found := word.search(plain):
                where = f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name}:{number}"
                yield f"{where}: {found[0]!r}; write {instead!r}: {line.strip()[:90]}"


def files(top: str) -> list[Path]:
    path = ROOT / top
    found = [path] if path.is_file() else sorted(path.rglob("*"))
    return [
        p for p in found if p.suffix in PROSE | {".py"} and str(p.relative_to(ROOT)) not in LIST["allowed"]["files"]
    ]


@pytest.mark.parametrize("top", TOPS)
def test_the_text_is_plain_english(top: str):
    assert [finding for path in files(top) for finding in findings(path)] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bad.py", '"""Say what a device told."""'),
        ("bad.py", "x = 1  # nobody reads it"),
        ("bad.py", "raise ValueError('begin anew')"),
        ("bad.js", "alert('Take it on now')"),
        ("bad.md", "The value that stands in the table."),
        ("bad.html", "<p>Nothing needs you</p>"),
    ],
)
def test_it_finds_the_dialect(name: str, text: str, tmp_path: Path):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert list(findings(tmp_path / name)) != []


def test_it_lets_plain_english_pass(tmp_path: Path):
    (tmp_path / "good.py").write_text('"""A sample stands for its interval. The user `nobody`."""\ntold = 1\n', "utf-8")
    assert list(findings(tmp_path / "good.py")) == []


if __name__ == "__main__":
    import sys

    for place in sys.argv[1:] or TOPS:
        print(*(finding for path in files(place) for finding in findings(path)), sep="\n")
