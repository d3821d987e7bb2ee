"""Split TOML text into statements with line numbers; invalid text gives invalid statements, and reading goes on."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Path = tuple[str | int, ...]

_BASIC = r'"(?:[^"\\\n]|\\.)*"'
_LITERAL = r"'[^'\n]*'"
_STRING = re.compile(rf'"""(?:[^\\]|\\.)*?"""(?:"{{0,2}})|\'\'\'.*?\'\'\'(?:\'{{0,2}})|{_BASIC}|{_LITERAL}', re.DOTALL)
_KEY_PART = re.compile(rf"[A-Za-z0-9_-]+|{_BASIC}|{_LITERAL}")
_BLANK = re.compile(r"[ \t]*")
_BLANK_LINES = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_LINE_END = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_SCALAR = re.compile(r"[^,\]}#\n]+")
_STATEMENT_START = re.compile(r"^[ \t]*(?:\[|[A-Za-z0-9_.\"'-]+[ \t]*=)", re.MULTILINE)
_BARE_WORD = re.compile(r"[A-Za-z][\w./:@-]*")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement.

    Attributes
    ----------
    path: the key as written, without its table.
    value: source text of a pair's value, or of the whole broken statement.
    inner: paths and lines of array items and inline keys.
    wrong: why it is invalid; suggested fix.
    """

    kind: Literal["table", "array", "pair", "broken"]
    path: tuple[str, ...]
    line: int
    value: str = ""
    inner: tuple[tuple[Path, int], ...] = ()
    wrong: str = ""


_DEEPEST = 50


class _BrokenError(Exception):
    """The text at a position cannot continue the statement before it."""

    def __init__(self, wrong: str) -> None:
        super().__init__(wrong)
        self.wrong = wrong


class Scanner:
    """Splits TOML into statements; an invalid one ends where the next begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._pos = 0
        self._path: tuple[str, ...] = ()
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self._inner: list[tuple[Path, int]] = []

    def statements(self) -> Iterator[Statement]:
        """Return all statements in order."""
        while True:
            self._skip(_BLANK_LINES)
            if self._pos >= len(self.text):
                return
            start, self._path = self._pos, ()
            try:
                yield self._statement()
            except _BrokenError as broken:
                written = self._rest_of_line(start)
                yield Statement("broken", self._path, self._line(start), written, wrong=broken.wrong)
                self._resume_after(start)

    def _line(self, pos: int) -> int:
        return bisect_right(self._starts, pos)

    def _rest_of_line(self, start: int) -> str:
        return self.text[start:].split("\n", 1)[0].strip()

    def _resume_after(self, start: int) -> None:
        end = self.text.find("\n", start)
        following = _STATEMENT_START.search(self.text, end) if end >= 0 else None
        self._pos = following.start() if following else len(self.text)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.text, self._pos)
        self._pos = found.end() if found else self._pos

    def _take(self, mark: str, wrong: str) -> None:
        self._skip(_BLANK)
        if not self.text.startswith(mark, self._pos):
            raise _BrokenError(wrong)
        self._pos += len(mark)

    def _next_is(self, mark: str) -> bool:
        self._skip(_BLANK_LINES)
        if self.text.startswith(mark, self._pos):
            self._pos += len(mark)
            return True
        return False

    def _statement(self) -> Statement:
        line = self._line(self._pos)
        if self.text[self._pos] == "[":
            mark = "[[" if self.text.startswith("[[", self._pos) else "["
            self._pos += len(mark)
            path = self._key()
            self._take("]" * len(mark), f"a table is written {mark}name{']' * len(mark)}")
            statement = Statement("array" if mark == "[[" else "table", path, line)
        else:
            statement = self._pair(line)
        if not _LINE_END.match(self.text, self._pos):
            raise _BrokenError("write one statement per line")
        return statement

    def _pair(self, line: int) -> Statement:
        self._path = self._key()
        self._take("=", "a key needs = and a value")
        self._skip(_BLANK)
        start, self._inner = self._pos, []
        self._value(self._path)
        if not _LINE_END.match(self.text, self._pos):
            raise _BrokenError(not_a_value(self._rest_of_line(start)))
        return Statement("pair", self._path, line, self.text[start : self._pos].strip(), tuple(self._inner))

    def _key(self) -> tuple[str, ...]:
        parts: list[str] = []
        while True:
            self._skip(_BLANK)
            found = _KEY_PART.match(self.text, self._pos)
            if not found:
                raise _BrokenError("a key is letters, digits, _ and -; anything else goes in quotes")
            self._pos = found.end()
            parts.append(_unquoted(found[0]))
            self._skip(_BLANK)
            if not self.text.startswith(".", self._pos):
                return tuple(parts)
            self._pos += 1

    def _value(self, path: Path) -> None:
        first = self.text[self._pos : self._pos + 1]
        if first in ("[", "{"):
            if len(path) > _DEEPEST:
                raise _BrokenError(f"values are nested at most {_DEEPEST} deep")
            self._pos += 1
            self._items(path, "]" if first == "[" else "}")
            return
        found = (_STRING if first in ('"', "'") else _SCALAR).match(self.text, self._pos)
        if not found:
            raise _BrokenError("the quotes are not closed" if first in ('"', "'") else "the value is missing")
        self._pos = found.end()

    def _items(self, path: Path, close: str) -> None:
        index = 0
        while not self._next_is(close):
            if self._pos >= len(self.text):
                raise _BrokenError(f"the closing {close} is missing")
            line = self._line(self._pos)
            item = (*path, index) if close == "]" else (*path, *self._inner_key())
            self._inner.append((item, line))
            self._value(item)
            index += 1
            if not self._next_is(","):
                if not self._next_is(close):
                    raise _BrokenError(f"the closing {close} or a comma is missing")
                return

    def _inner_key(self) -> tuple[str, ...]:
        key = self._key()
        self._take("=", "a key needs = and a value")
        self._skip(_BLANK)
        return key


def _unquoted(part: str) -> str:
    if part[0] not in "\"'":
        return part
    try:
        return str(tomllib.loads(f"key = {part}")["key"])
    except (tomllib.TOMLDecodeError, RecursionError):
        raise _BrokenError("the key is not TOML; write it without quotes: letters, digits, _ and -") from None


def not_a_value(written: str) -> str:
    """Return what is wrong with a value that is not TOML, and the suggested fix."""
    if _BARE_WORD.fullmatch(written):
        return "not a TOML value; put text in quotes"
    return "not a TOML value; numbers are written 10200 or 0.8, text goes in quotes"
