"""Paper 3: one 8×H100 node and its rack."""

from __future__ import annotations

from typing import Any

from tests.papers.published import BNL, BNL_CONTROL_KW, BNL_RATED_KW
from tests.papers.queries import Result, Server
from tests.papers.text import difference, number, table

RACK, MODEL = "bnl-r1", "hgx-h100"


def runs(server: Server) -> str:
    """Return the table of runs: energy, median and maximum, each the mean of five nodes."""
    found = server.groups(["name"], paper="latif-2024")
    head = ["run", "n"]
    for measure in ("published kWh", "published median kW", "published maximum kW"):
        head += [measure, "obtained", "off"]
    return table(head, [_row(words, found[name], kwh, median, most) for name, words, median, most, kwh in BNL])


def _row(words: str, group: Result, kwh: float | None, median_kw: float, max_kw: float) -> list[str]:
    obtained = group["energy_j"]["mean"] / 3.6e6
    cells = [words, str(group["n"]), "–" if kwh is None else number(kwh, 0), number(obtained, 1)]
    cells.append("–" if kwh is None else difference(obtained, kwh))
    for published, measure in ((median_kw, "median_power_w"), (max_kw, "max_power_w")):
        kw = group[measure]["mean"] / 1000
        cells += [number(published, 2), number(kw, 2), difference(kw, published)]
    return cells


def room(server: Server, from_ms: int, to_ms: int) -> str:
    """Return the table of rated, control and observed node power, and how many more nodes fit the 70 kW rack."""
    window = (("from", from_ms), ("to", to_ms))
    headroom = server.get("headroom", ("level", "node"), *window)["items"]
    nodes = [row for row in headroom if row["key"].startswith("hgx")]
    highest = max(nodes, key=lambda row: row["observed_w"]["max"])
    most_kw = highest["observed_w"]["max"] / 1000
    rated = _fit(server, "rated", 27.0, window)
    observed = _fit(server, "observed_max", 27.0, window)
    rows = [
        ["rated power of a node [kW]", number(BNL_RATED_KW, 1), number(highest["rated_w"] / 1000, 1)],
        ["control line [kW]", number(BNL_CONTROL_KW, 2), number(_control_kw(server), 2)],
        ["highest observed [kW]", "8.48", number(most_kw, 2)],
        [
            "observed below rated",
            "18 % (8.4 of 10.2)",
            f"{100 * (1 - most_kw / BNL_RATED_KW):.1f} % ({most_kw:.2f} of 10.2)",
        ],
        ["margin of the rack, five nodes at rated power", "≈ 27 %", _pct(rated["now"]["margin_pct"])],
        ["margin with one more at observed power", "27.3 % (derived)", _pct(observed["then"]["margin_pct"])],
        ["more nodes at observed power, 27 % kept", "1", str(observed["additional_nodes"])],
        ["more nodes at rated power, 27 % kept", "0 (derived)", str(rated["additional_nodes"])],
    ]
    return table(("", "published", "obtained"), rows)


def _fit(server: Server, basis: str, margin_pct: float, window: tuple[tuple[str, int], ...]) -> Result:
    query: list[tuple[str, Any]] = [("model", MODEL), ("basis", basis), ("margin_pct", margin_pct), ("levels", "rack")]
    return dict(server.get(f"capacity/racks/{RACK}", *query, *window))


def _control_kw(server: Server) -> float:
    job = server.jobs("llama2-13b-llava")[0]
    return float(server.get(f"jobs/{job['id']}/curve", ("max_points", 10))["lines"]["control_w"]) / 1000


def _pct(value: float) -> str:
    return f"{value:.1f} %"
