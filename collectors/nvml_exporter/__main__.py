"""`python -m collectors.nvml_exporter`: as `wattline nvml-exporter`, with only the standard library and
nvidia-ml-py."""

from __future__ import annotations

import argparse
import logging
import sys

from collectors.errors import CollectorError
from collectors.nvml_exporter.command import ANYWHERE, run


def main() -> None:
    """Parse the arguments and run; print errors as one line and a hint."""
    parser = argparse.ArgumentParser(prog="python -m collectors.nvml_exporter", description="The node exporter.")
    parser.add_argument("--host", default=ANYWHERE, help="address to listen on (all)")
    parser.add_argument("--port", type=int, default=9835, help="port to listen on (9835)")
    parser.add_argument("--interval", type=float, default=0.5, help="seconds between samples (0.5; at least 0.1)")
    parser.add_argument("--keep-minutes", type=float, default=10.0, help="minutes of samples to keep (10)")
    arguments = parser.parse_args()
    logging.basicConfig(format="%(message)s")
    try:
        run(arguments.host, arguments.port, arguments.interval, arguments.keep_minutes)
    except CollectorError as error:
        sys.exit(f"error: {error.explanation}")


if __name__ == "__main__":
    main()
