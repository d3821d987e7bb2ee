"""Names and addresses from elsewhere neither move the cursor of a terminal nor forge a line of a log."""

import io
import logging

import pytest
from rich.table import Table

from app.server import SafeConsole
from app.server.terminal import SafeLogRecord, printable

HOSTILE = "\x1b]0;title\x1b[2Jred\x9b31m\u202eevil\x7f"
SEEN = "\ufffd]0;title\ufffd[2Jred\ufffd31m\ufffdevil\ufffd"


def test_a_console_shows_control_characters_as_such():
    out = io.StringIO()
    console = SafeConsole(file=out, force_terminal=True, width=80, highlight=False)
    console.print(HOSTILE, markup=False)
    table = Table("[bold]name")
    table.add_row(HOSTILE)
    console.print(table)
    console.print("[bold]error:[/] x\ty")
    text = out.getvalue()
    assert text.count(SEEN) == 2
    assert "\x1b[1m" in text  # its own styles stay
    assert "\x1b]" not in text
    assert "\x1b[2J" not in text


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("job %s", "a\nWARNING forged"), "job a\\nWARNING forged"),
        (("job %s", "a\r\nb"), "job a\ufffd\\nb"),
        (("job %s", HOSTILE), f"job {SEEN}"),
        (("plain\n",), "plain"),
        (("日本 ± Ω",), "日本 ± Ω"),
    ],
)
def test_a_log_record_is_one_line(arguments, expected):
    record = SafeLogRecord("x", logging.WARNING, "x.py", 1, arguments[0], arguments[1:], None)
    assert record.getMessage() == expected


def test_tabs_and_newlines_of_texts_stay():
    assert printable("a\tb\nc") == "a\tb\nc"
