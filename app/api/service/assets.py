"""Serve the files of the dashboard: pages with their shared head, assets under a versioned path.

Everything is read and compressed once. Plotly comes out of the installed wheel, with its version in the path.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from importlib.metadata import version
from pathlib import Path

from app import paths
from app.presentation.reports import PageFiles

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".html": "text/html; charset=utf-8",
    ".png": "image/png",
}
_REPORT_PARTS = ("plotly", "crosshair", "figure_data", "figure", "report")
_REPORT_SCRIPTS = tuple(f"js/charts/{name}.js" for name in _REPORT_PARTS)
_HEAD = "<!-- head -->"
_ROOTED = re.compile(r'\b(?:href|src|action)="(?=/)')


@dataclass(frozen=True)
class Asset:
    """One file: its bytes, the same compressed where that pays, and its media type."""

    body: bytes
    media_type: str

    @cached_property
    def gzipped(self) -> bytes | None:
        """The body compressed, or None where that does not make it smaller."""
        small = gzip.compress(self.body, 6, mtime=0)
        return small if len(small) < len(self.body) else None


@dataclass
class Frontend:
    """The folder of pages, styles and scripts.

    Attributes
    ----------
    version: hash of the content of all files; part of every asset's path.
    prefix: path below which a proxy serves the pages, at the start of every link of a page.
    """

    root: Path
    version: str
    plotly_path: str
    files: dict[str, Asset]
    prefix: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _plotly: Asset | None = None
    _pages: dict[str, Asset] = field(default_factory=dict)

    def page(self, name: str) -> Asset:
        """A page with the shared head in it and the versioned paths of its files."""
        if name not in self._pages:
            text = self.files[name].body.decode().replace(_HEAD, self.files["head.html"].body.decode())
            text = text.replace("@static", f"/static/{self.version}").replace("@plotly", f"/static/{self.plotly_path}")
            text = _ROOTED.sub(rf"\g<0>{self.prefix}", text)
            self._pages[name] = Asset(text.encode(), _TYPES[".html"])
        return self._pages[name]

    def asset(self, path: str) -> Asset | None:
        """Return the file under `/static/<path>`, or None."""
        if path == self.plotly_path:
            return self._plotly_asset()
        prefix, _, name = path.partition("/")
        return self.files.get(name) if prefix == self.version and not name.endswith(".html") else None

    def report_files(self) -> PageFiles:
        """Return what a report carries of these files."""
        return PageFiles(
            styles=[self._text(f"css/{name}.css") for name in ("wattline", "bars", "report")],
            scripts=[self._text(name) for name in _REPORT_SCRIPTS],
            plotly=self._plotly_asset().body,
        )

    def _text(self, name: str) -> str:
        return self.files[name].body.decode()

    def _plotly_asset(self) -> Asset:
        with self._lock:
            if self._plotly is None:
                source = resources.files("plotly").joinpath("package_data", "plotly.min.js")
                self._plotly = Asset(source.read_bytes(), _TYPES[".js"])
            return self._plotly


def frontend(prefix: str = "") -> Frontend:
    """Read the folder once."""
    root = paths.frontend()
    files = {p.relative_to(root).as_posix(): Asset(p.read_bytes(), _TYPES[p.suffix]) for p in _sources(root)}
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + files[name].body + b"\0")
    return Frontend(root, digest.hexdigest()[:12], f"plotly-{version('plotly')}.min.js", files, prefix)


def _sources(root: Path) -> Iterator[Path]:
    return (p for p in root.rglob("*") if p.is_file() and p.suffix in _TYPES)
