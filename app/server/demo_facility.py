"""Choose free ports for the simulated devices of the demo."""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Iterator
from pathlib import Path

from app.errors import Unavailable

DEMO = Path(__file__).resolve().parents[2] / "collectors" / "simulator" / "demo.toml"
_STEP, _MOST, _LAST = 20, 50, 65_535
_ADDRESS = re.compile(r"\b(snmp|modbus|http)://(127\.0\.0\.1):(\d+)")


def demo_facility(folder: Path, demo: Path = DEMO) -> Path:
    """Return the facility file of the demo; if one of its ports is in use, a copy in `folder` with other ports.

    Raises
    ------
    Unavailable
        No set of ports is free.
    """
    text = demo.read_text(encoding="utf-8")
    for moved in range(0, _STEP * _MOST, _STEP):
        if all(_is_free(*where) for where in _places(text, moved)):
            return _copy(text, moved, folder / "demo.toml") if moved else demo
    raise Unavailable("no ports are free for the demo's devices", "stop other demos on this machine")


def _places(text: str, moved: int) -> Iterator[tuple[str, str, int]]:
    for scheme, host, port in _ADDRESS.findall(text):
        yield scheme, host, int(port) + moved


def _is_free(scheme: str, host: str, port: int) -> bool:
    if port > _LAST:
        return False
    kind = socket.SOCK_DGRAM if scheme == "snmp" else socket.SOCK_STREAM
    with socket.socket(socket.AF_INET, kind) as probe:
        if kind == socket.SOCK_STREAM:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):
            probe.bind((host, port))
            return True
    return False


def _copy(text: str, moved: int, to: Path) -> Path:
    to.write_text(_ADDRESS.sub(lambda at: f"{at[1]}://{at[2]}:{int(at[3]) + moved}", text), encoding="utf-8")
    return to
