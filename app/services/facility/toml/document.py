"""TOML with line numbers, read to the end even when parts of it are broken.

`tomllib` decides what is valid and what it means, but stops at the first error and keeps no positions. Here
the text is split into statements, so that every key has its line, and each invalid or repeated statement is one
error of a list instead of the end of reading.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field

from app.services.facility.toml.scanner import Path, Scanner, Statement, not_a_value

_POSITION = re.compile(r" \(at (?:line \d+, column \d+|end of document)\)")


@dataclass(frozen=True, slots=True)
class TomlMistake:
    """A statement that is not valid TOML: where it is, its text, what is wrong, and the suggested fix."""

    line: int
    path: Path
    text: str
    wrong: str


@dataclass
class TomlDocument:
    """Tables as nested dicts, and the line of every table, key and array item.

    Attributes
    ----------
    repeats: repeated tables, which TOML does not allow, each as its own document, so that their content is checked too.
    """

    data: dict[str, object] = field(default_factory=dict)
    lines: dict[Path, int] = field(default_factory=dict)
    mistakes: list[TomlMistake] = field(default_factory=list)
    repeats: list[TomlDocument] = field(default_factory=list)

    def line(self, path: Path) -> int:
        """Return the line of `path`, or of the nearest table or key around it."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return 1


def read_toml(text: str) -> TomlDocument:
    """Read the whole document; never raises: what cannot be read is in `mistakes`."""
    text = text.replace("\r\n", "\n")
    document = _Builder(text).build()
    try:
        document.data = tomllib.loads(text)
    except RecursionError:
        if not document.mistakes:
            document.mistakes.append(TomlMistake(1, (), "", "not TOML: nested too deep"))
    except tomllib.TOMLDecodeError as error:
        if not document.mistakes:
            document.mistakes.append(TomlMistake(_error_line(error, text), (), "", f"not TOML: {_plain(error)}"))
    else:
        document.mistakes.clear()
        document.repeats.clear()
    return document


def _plain(error: tomllib.TOMLDecodeError) -> str:
    return _POSITION.sub("", str(error))


def _error_line(error: tomllib.TOMLDecodeError, text: str) -> int:
    found = re.search(r"at line (\d+)", str(error))
    return int(found[1]) if found else text.count("\n") + 1


class _Builder:
    """Collects statements into tables, and invalid ones into errors."""

    def __init__(self, text: str) -> None:
        self._scanner = Scanner(text)
        self._document = TomlDocument()
        self._target = self._document
        self._table: tuple[str, ...] = ()
        self._headers: dict[tuple[str, ...], int] = {}

    def build(self) -> TomlDocument:
        for statement in self._scanner.statements():
            if statement.kind == "pair":
                self._pair(statement)
            elif statement.kind == "broken":
                self._broken(statement)
            else:
                self._header(statement)
        return self._document

    def _broken(self, statement: Statement) -> None:
        if statement.path:
            written = statement.value.partition("=")[2].strip()
            self._wrong(statement, (*self._table, *statement.path), written, statement.wrong)
            return
        self._wrong(statement, (), statement.value, statement.wrong)
        if statement.value.startswith("["):
            self._target = TomlDocument()

    def _header(self, statement: Statement) -> None:
        first = self._headers.setdefault(statement.path, statement.line)
        self._table, self._target = statement.path, self._document
        if statement.kind == "table" and first != statement.line:
            wrong = f"declared twice, first in line {first}; rename one of the two or remove it"
            self._document.mistakes.append(TomlMistake(statement.line, statement.path, "", wrong))
            self._target = TomlDocument()
            self._document.repeats.append(self._target)
        if self._place(statement.path) is None:
            self._wrong(statement, statement.path, "", "already a value; a table needs another name")
        for length in range(1, len(statement.path) + 1):
            self._target.lines.setdefault(statement.path[:length], statement.line)
        if statement.kind == "array":
            self._target = TomlDocument()

    def _pair(self, statement: Statement) -> None:
        path = (*self._table, *statement.path)
        try:
            value: object = tomllib.loads(f"value = {statement.value}")["value"]
        except (tomllib.TOMLDecodeError, RecursionError):
            self._wrong(statement, path, statement.value, not_a_value(statement.value))
            return
        table = self._place(path[:-1])
        if table is None or path[-1] in table:
            first = self._target.line(path)
            self._wrong(statement, path, statement.value, f"written twice, first in line {first}; remove one")
            return
        table[path[-1]] = value
        for length in range(1, len(path) + 1):
            self._target.lines.setdefault(path[:length], statement.line)
        self._target.lines.update({(*self._table, *inner): line for inner, line in statement.inner})

    def _wrong(self, statement: Statement, path: Path, text: str, wrong: str) -> None:
        self._document.mistakes.append(TomlMistake(statement.line, path, text, wrong))

    def _place(self, path: tuple[str, ...]) -> dict[str, object] | None:
        """Return the table at `path`, created if missing; None if there is a value instead."""
        table = self._target.data
        for part in path:
            inner = table.setdefault(part, {})
            if not isinstance(inner, dict):
                return None
            table = inner
        return table
