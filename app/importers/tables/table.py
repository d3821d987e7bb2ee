"""Delimited text: CSV files of meters, spreadsheets and nvidia-smi."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_NUMBER = re.compile(r"\s*([+-]?\d*[.,]?\d+\.?(?:[eE][+-]?\d+)?)\s*([A-Za-zµ%°]*)\s*")
_ABSENT = re.compile(r"\s*|\[?(n/?a|nan|null|none|not supported|unknown error|gpu is lost|-+|inf|error)\]?", re.I)


@dataclass(frozen=True)
class TextTable:
    """Cells of a delimited text.

    Attributes
    ----------
    rows: every line as stripped cells, without blank lines and `#` comments.
    torn: whether the last row lacks its line end.
    decimal_comma: whether numbers are written 431,2.
    """

    rows: list[list[str]]
    torn: bool
    decimal_comma: bool


def decode(raw: bytes) -> str:
    """Decode the text of a file: UTF-8, UTF-16 with a byte order mark, else Latin-1."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", errors="replace")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def read_table(text: str) -> TextTable:
    """Return the cells of `text`, with the delimiter that splits most of its first lines equally."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    delimiter = _delimiter(lines[:50])
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    rows = [[cell.strip() for cell in row] for row in reader]
    return TextTable(rows, not text.endswith(("\n", "\r")), delimiter != ",")


def _delimiter(lines: Sequence[str]) -> str:
    """Return the character that occurs equally often in most lines; a comma last, as it may be a decimal one."""

    def alike(mark: str) -> int:
        counts = Counter(line.count(mark) for line in lines if mark in line)
        return max(counts.values(), default=0)

    return max((";", "\t", "|", ","), key=alike)


def number(cell: str, *, decimal_comma: bool = False) -> tuple[float, str] | None:
    """Return value and unit of a cell: `431.2 W` → (431.2, "W"); NaN if missing; None for other text."""
    match = _NUMBER.fullmatch(cell)
    if match is None:
        return (math.nan, "") if _ABSENT.fullmatch(cell) else None
    digits = match[1]
    if "," in digits:
        if not decimal_comma:
            return None
        digits = digits.replace(",", ".")
    return float(digits), match[2]
