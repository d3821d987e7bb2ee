"""The documentation as a site: `make docs`. Every page is Markdown as GitHub reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
html_show_copyright = False
smartquotes = False  # JSON in a table stays JSON
html_theme_options = {"footer_icons": []}


OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./((?!\.\.)[^)#\s]+)(?:#[^)]*)?\)")


def name_files_outside(_: Sphinx, page: str, source: list[str]) -> None:
    """Name the files that a page links to outside of the site, as the site does not contain them."""
    if "/" not in page:
        source[0] = OUTSIDE.sub(r"\1 (`\2` in the source)", source[0])


class IndexPages(SphinxTransform):
    """Put headings and the terms that tables define into the index, as the pages have no mark-up for it."""

    default_priority = 840  # before the transform that collects the index

    def apply(self, **_: object) -> None:
        """Add the entries of each section."""
        for section in self.document.findall(nodes.section):
            if self.env.docname.startswith("decisions/") and isinstance(section.parent, nodes.section):
                continue  # "Context", "Decision" …
            title = re.sub(r"^\d+\. ", "", section[0].astext())
            found = dict.fromkeys([title, *_terms(section)])
            entries = [("single", text.replace(";", ","), section["ids"][0], "", None) for text in found]
            section.insert(1, addnodes.index(entries=entries))


def _terms(section: nodes.section) -> Iterator[str]:
    """Yield the code in the first column of the section's own tables."""
    for table in (child for child in section.children if isinstance(child, nodes.table)):
        for body in table.findall(nodes.tbody):
            for row in body.children:
                yield from (term.astext() for term in row[0].findall(nodes.literal))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what this file adds."""
    app.add_transform(IndexPages)
    app.connect("source-read", name_files_outside)
    return {"parallel_read_safe": True}
