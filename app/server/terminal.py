"""Text from elsewhere on terminals and in logs: it neither moves the cursor nor begins a line of its own."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""C0 without tab and newline, DEL, C1, and marks that change the direction of text."""


def printable(text: str) -> str:
    """Return a text with its control characters as U+FFFD."""
    return _CONTROL.sub("\ufffd", text)


class SafeConsole(Console):
    """A console that writes no control character of a text, only those of its own styles."""

    def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401 -- those of rich
        """Return a text as it is printed; replaced before its width is measured."""
        return super().render_str(printable(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of what is printed."""
        for segment in super().render(renderable, options):
            if segment.control or not _CONTROL.search(segment.text):
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)


class SafeLogRecord(logging.LogRecord):
    """A log record whose message is one line, whatever names and addresses are in it."""

    def getMessage(self) -> str:
        """Return the message."""
        return printable(super().getMessage().rstrip("\n")).replace("\n", "\\n")


def protect_logs() -> None:
    """Make every log record of this process a safe one."""
    logging.setLogRecordFactory(SafeLogRecord)
