"""The tables of docs/papers.md are computed again and compared with the published numbers."""

import re

import pytest

from tests.papers import bnl, gdansk, kit, page
from tests.papers.campaign import Lab, laboratory
from tests.papers.machines import START_MS
from tests.papers.page import figures_named
from tests.papers.published import KIT, TABLE_1
from tests.paths import DOCS

pytestmark = pytest.mark.timeout(400)  # half a minute on an idle machine
PAGE = (DOCS / "papers.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory):
    """All of papers 1 and 3, loaded; of paper 2 the caps that were published, on eight GPUs."""
    with laboratory(tmp_path_factory.mktemp("papers")) as lab:
        lab.sweep(8, (160, 170, 200, 260), 10)
        lab.measure(lambda _: None, polled=False)
        yield lab


def test_the_page_has_tables_2_and_3(lab: Lab):
    with lab.api() as server:
        assert kit.section(server) in PAGE


def test_the_page_has_table_1(lab: Lab):
    """Within a few hundredths of a point: the phase of the readings in a run depends on the runs before it."""
    with lab.api() as server:
        obtained = _cells(gdansk.table_1(server))
    written = _cells(PAGE[PAGE.index("| metric | published gain %") :])
    assert [name for name, *_ in obtained] == [words for words, *_ in TABLE_1]
    for mine, theirs in zip(obtained, written, strict=False):
        assert (mine[0], mine[1], mine[4], mine[5]) == (theirs[0], theirs[1], theirs[4], theirs[5])
        assert float(mine[2]) == pytest.approx(float(theirs[2]), abs=0.03)
    assert gdansk.from_published() in PAGE


def _cells(text: str) -> list[list[str]]:
    """The cells of the first table in a text, without its head."""
    rows = text.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_the_page_has_the_node_and_its_rack(lab: Lab):
    with lab.api() as server:
        assert bnl.runs(server) in PAGE
        assert bnl.room(server, START_MS, lab.clock()) in PAGE


def test_every_published_energy_is_within_a_thousandth(lab: Lab):
    with lab.api() as server:
        found = server.groups(["name"], paper="caspart-2022")
    for row in KIT:
        assert found[row.job]["energy_j"]["mean"] == pytest.approx(row.kj * 1000, rel=1e-3)
        if row.kj_std:
            assert found[row.job]["n"] == 5
            assert found[row.job]["energy_j"]["std"] == pytest.approx(row.kj_std * 1000, rel=0.02)


def test_one_more_node_fits_at_observed_power_and_none_at_rated(lab: Lab):
    with lab.api() as server:
        fits = {
            basis: server.get(
                "capacity/racks/bnl-r1", ("basis", basis), ("margin_pct", 27), ("levels", "rack"), ("from", START_MS),
                ("to", lab.clock()),
            )["additional_nodes"]
            for basis in ("observed_max", "rated")
        }  # fmt: skip
    assert fits == {"observed_max": 1, "rated": 0}


def test_every_figure_is_there_and_is_drawn():
    named = re.findall(r"!\[[^]]+\]\(figures/(\S+?)\)", PAGE)
    assert named == list(figures_named)
    for name in named:
        assert "<polyline" in (DOCS / "figures" / name).read_text(encoding="utf-8")


def test_the_page_has_every_text_of_the_module():
    found = {name: text for name, text in vars(page).items() if re.fullmatch("_[A-Z]+", name)}
    assert len(found) == 8
    assert [name for name, text in found.items() if text not in PAGE] == []


def test_the_page_says_what_a_simulation_proves():
    assert "proves the path from the meter to the table, not the physics" in " ".join(PAGE.split())
