"""The documentation as a site: `make docs`. Every page is Markdown as GitHub reads it."""

from __future__ import annotations

from importlib.metadata import version as installed_version
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

project = "Wattline"
author = "The Wattline authors"
release = version = installed_version("wattline")
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["requirements.txt"]
nitpicky = True
myst_heading_anchors = 4
myst_enable_extensions: list[str] = []
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = "Wattline"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"footer_icons": []}


class IndexHeadings(SphinxTransform):
    """Put each heading into the alphabetical index, as its page has no mark-up for that."""

    default_priority = 840  # before the transform that collects the index

    def apply(self, **_: object) -> None:
        """Add an entry to each section."""
        for section in self.document.findall(nodes.section):
            entry = ("single", section[0].astext().replace(";", ","), section["ids"][0], "", None)
            section.insert(1, addnodes.index(entries=[entry]))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what this file adds."""
    app.add_transform(IndexHeadings)
    return {"parallel_read_safe": True}
