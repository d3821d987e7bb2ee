"""Detect the format of a log and read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

from app.errors import Invalid
from app.importers.meters import meter_csv, nvidia_smi, yokogawa
from app.importers.mlperf import ptdaemon, training
from app.importers.tables import MeterLog, decode

_HEAD = 8192
_SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (ptdaemon.FORMAT, re.compile(r"^Time,[^,\n]+,Watts,", re.M)),
    (training.FORMAT, re.compile(r":::MLLOG .*\"(power_reading|power_measurement_start|interconnect_power_est)\"")),
    (nvidia_smi.FORMAT, re.compile(r"^.*timestamp.*\bpower\.draw|^.*\bpower\.draw.*timestamp", re.M)),
    (yokogawa.FORMAT, re.compile(r"yokogawa|^\"?(model|type)\"?[,;]\s*\"?WT\d|store ?no", re.I | re.M)),
)
_READERS: dict[str, Callable[[str, str, ZoneInfo], list[MeterLog]]] = {
    ptdaemon.FORMAT: lambda text, source, tz: [ptdaemon.read_ptdaemon(text, source, tz)],
    training.FORMAT: lambda text, source, _: [training.read_power(text, source).log],
    nvidia_smi.FORMAT: nvidia_smi.read_nvidia_smi,
    yokogawa.FORMAT: lambda text, source, tz: [yokogawa.read_yokogawa(text, source, tz)],
    meter_csv.FORMAT: lambda text, source, tz: [meter_csv.read_meter_csv(text, source, tz)],
}
FORMATS = ("auto", *_READERS)


def detect(text: str) -> str:
    """Return the format whose signature occurs first at the start of a log, else CSV."""
    head = text[:_HEAD]
    return next((name for name, sign in _SIGNS if sign.search(head)), meter_csv.FORMAT)


def read_log(path: Path, tz: ZoneInfo, fmt: str = "auto") -> list[MeterLog]:
    """Read the streams of one log file.

    Raises
    ------
    Invalid
        The format is not in `FORMATS`, or the file has another format.
    OSError
        The file cannot be read.
    """
    if fmt not in FORMATS:
        raise Invalid(f"no format {fmt!r}", f"one of {', '.join(FORMATS)}", code="unknown_format")
    text = decode(path.read_bytes())
    return _READERS[detect(text) if fmt == "auto" else fmt](text, path.name, tz)
