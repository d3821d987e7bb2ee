"""`python -m tests.papers`: measure the simulated machines of three papers and write the page (minutes)."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.papers.campaign import write_papers
from tests.paths import DOCS


def main() -> None:
    """Write the page to `--out`, its figures to a folder beside it."""
    parser = argparse.ArgumentParser(prog="python -m tests.papers", description=__doc__)
    parser.add_argument("--out", type=Path, default=DOCS / "papers.md", help="page to write (default: %(default)s)")
    write_papers(parser.parse_args().out, lambda text: print(text, flush=True))


if __name__ == "__main__":
    main()
