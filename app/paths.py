"""Folders of Wattline: beside `app/` in a checkout, inside it in an installed wheel."""

from __future__ import annotations

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
    """Return the default data directory: `var` in the working directory."""
    return Path.cwd() / "var"
