"""Where our own folders are: in a checkout beside `app/`, in an installed wheel inside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_APP = Path(__file__).resolve().parent
_ROOT = _APP.parent


def is_checkout() -> bool:
    """Whether the code runs from a source checkout."""
    return (_ROOT / "pyproject.toml").is_file()


def _ours(name: str) -> Path:
    beside = _ROOT / name
    return beside if is_checkout() else _APP / name


def frontend() -> Path:
    """The folder of pages, styles and scripts."""
    return _ours("frontend")


def migrations() -> Path:
    """The folder of the database migrations."""
    return _ours("migrations")


def data_dir() -> Path:
    """Where data lives unless told otherwise: `./var` of a checkout, else the user's data folder."""
    if is_checkout():
        return _ROOT / "var"
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share"))
    return base / "wattline"
