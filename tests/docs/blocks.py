"""Code blocks of the documentation, as tests run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.paths import ROOT

WATTLINE = f"{sys.executable} -m app.cli"


def blocks(page: Path, language: str) -> list[str]:
    """Return the code blocks of a language, without the indentation of a list."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [re.sub(rf"^{indent}", "", text, flags=re.MULTILINE) for indent, text in found]


def block(page: Path, language: str, containing: str) -> str:
    """Return the only block of a language that contains a text."""
    (found,) = [text for text in blocks(page, language) if containing in text]
    return found


def replaced(text: str, changes: Mapping[str, str]) -> str:
    """Return a text with other paths and addresses; each of them must occur."""
    for old, new in changes.items():
        assert old in text, f"{old} is not in the block"
        text = text.replace(old, new)
    return text


def run(script: str, folder: Path, **environment: str) -> str:
    """Run a script as a reader would, in a folder of its own; return what it printed. Fail if it fails."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith("WATTLINE_")}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=outside | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1"} | environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done.stdout
