"""`make bench`: every section in one run on the machine at hand; prints it and writes docs/benchmarks.md.

`python -m tests.benchmarks --quick` shows in two minutes that it works and writes nothing; `--only job` one section.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import ingest, job, months, node_exporter, pages, scale, sizes, snmp
from tests.benchmarks.bench import Bench
from tests.benchmarks.report import Section, machine

SECTIONS: dict[str, Callable[[Bench], list[Section]]] = {
    "sizes": sizes.run,
    "ingest": ingest.run,
    "job": job.run,
    "months": months.run,
    "scale": scale.run,
    "node-exporter": node_exporter.run,
    "snmp": snmp.run,
    "pages": pages.run,
}
PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
INTRODUCTION = """# Benchmarks

Measured by `make bench` on one machine, each table in one run, everything on its local disk. The other stores are those
installed on the machine, with their default settings and the same samples. Figures are medians; a ratio is the other
store's figure divided by Wattline's. Run it on your own machine to get your own figures.
"""


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller and shorter; writes no page")
    parser.add_argument(
        "--only", choices=SECTIONS, action="append", help="one section (again for more); writes no page"
    )
    given = parser.parse_args()
    print(f"{machine()}, {time.strftime('%Y-%m-%d')}", flush=True)
    found: list[Section] = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(given.quick, Path(folder))
        for name in given.only or SECTIONS:
            began = time.monotonic()
            found += (parts := SECTIONS[name](bench))
            print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
            for part in parts:
                print(f"\n{part.markdown()}", flush=True)
            if not given.quick and not given.only:  # a section that breaks leaves what was measured before it
                write_page(found)


def write_page(found: list[Section]) -> None:
    """docs/benchmarks.md, of what has been measured so far."""
    head = f"{INTRODUCTION}\n{time.strftime('%Y-%m-%d')}, {machine()}.\n"
    PAGE.write_text("\n".join([head, *(part.markdown() for part in found)]).rstrip() + "\n", encoding="utf-8")
    print(f"written: {PAGE}")


if __name__ == "__main__":
    main()
