"""Folders of Wattline: beside `app/` in a checkout, inside it in an installed wheel."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_APP = Path(__file__).resolve().parent
_ROOT = _APP.parent


def is_checkout() -> bool:
    """Return whether the code runs from a source checkout."""
    return (_ROOT / "pyproject.toml").is_file()


def _ours(name: str) -> Path:
    beside = _ROOT / name
    return beside if is_checkout() else _APP / name


def frontend() -> Path:
    """Return the folder of pages, styles and scripts."""
    return _ours("frontend")


def migrations() -> Path:
    """Return the folder of the database migrations."""
    return _ours("migrations")


def data_dir() -> Path:
    """Return the default data folder: `./var` of a checkout, else the data folder of the user."""
    if is_checkout():
        return _ROOT / "var"
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share"))
    return base / "wattline"
