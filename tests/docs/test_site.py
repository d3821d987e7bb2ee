"""The documentation as a site: built offline without a warning, every page in a list, nothing from other hosts."""

import re
import subprocess
import sys

import pytest

from tests.paths import DOCS

pytestmark = pytest.mark.timeout(400)
LOADED = re.compile(r"""<(?:script|img|iframe|source)[^>]*\ssrc="([^"]+)"|<link[^>]*\shref="([^"]+)\"""")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-d", folder / "doctrees"]
    done = subprocess.run([*command, DOCS, folder / "html"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.mark.slow
def test_every_page_is_there(site):
    pages = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert {page for page in pages if not (site / page).is_file()} == set()


@pytest.mark.slow
def test_nothing_is_loaded_from_other_hosts(site):
    for page in site.rglob("*.html"):
        loaded = {a or b for a, b in LOADED.findall(page.read_text("utf-8"))}
        assert {address for address in loaded if re.match(r"(https?:)?//", address)} == set(), page
    for style in site.rglob("*.css"):
        assert re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", style.read_text("utf-8")) == [], style


@pytest.mark.slow
def test_the_index_has_the_headings(site):
    index = (site / "genindex.html").read_text("utf-8")
    assert all(heading in index for heading in ("Idle baseline", "Impossible readings", "Coincident peak", "The unit"))
    assert all(f">{term}</a>" in index for term in ("WATTLINE_KEEP", "wattline_node_power_watts", "circuit_load"))
    assert "“" not in (site / "settings.html").read_text("utf-8")  # the quotes of JSON stay as they are
    assert (site / "searchindex.js").stat().st_size > 10_000


def test_every_page_is_in_one_list():
    lists = re.findall(r"```{toctree}\n(.*?)```", (DOCS / "index.md").read_text("utf-8"), re.DOTALL)
    captions = [re.search(r":caption: (.+)", text)[1] for text in lists]
    assert captions == ["Tutorial", "How-to", "Reference", "Explanation"]
    named = [
        line for text in lists for line in text.splitlines() if re.fullmatch(r"[a-z/-]+", line) and line != "genindex"
    ]
    assert len(named) == len(set(named))
    pages = {str(path.relative_to(DOCS).with_suffix("")) for path in DOCS.glob("*.md")} - {"index"}
    assert set(named) - {"decisions/index"} == pages


@pytest.mark.slow
def test_files_outside_of_the_site_are_named_instead_of_linked(site):
    outside = [page for page in DOCS.glob("*.md") if "](../" in page.read_text("utf-8")]
    for page in outside:
        assert 'href="../' not in (site / page.relative_to(DOCS)).with_suffix(".html").read_text("utf-8")
