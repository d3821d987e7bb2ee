"""`python -m tests.conformance.snmp.snmp_report [pattern …] [--all]`: what is met, missed and why, capture by capture.

Patterns choose captures (`apc*`); `--all` lists every unexplained miss instead of the first few.
"""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase

from tests.conformance.snmp.snmp_coverage import Coverage, some
from tests.conformance.snmp.snmp_expectations import captures

_SHOWN = 6


def main(arguments: list[str]) -> None:
    patterns = [a for a in arguments if not a.startswith("--")] or ["*"]
    names = [name for name in captures() if any(fnmatchcase(name, pattern) for pattern in patterns)]
    found = some(names)
    print(f"{'capture':44} {'profile':24} {'expected':>8} {'met':>5} {'explained':>9} {'open':>5} {'read':>5} {'s':>5}")
    for coverage in found.values():
        _print(coverage, None if "--all" in arguments else _SHOWN)
    expected, met = sum(c.expected for c in found.values()), sum(len(c.met) for c in found.values())
    explained = sum(len(c.explained) for c in found.values())
    print(f"{len(found)} captures, {expected} values expected: {met} met, {explained} explained", end=", ")
    right = expected - sum(c.wrong for c in found.values())
    print(f"{expected - met - explained} open; {100 * met / max(1, expected):.2f} % met", end=", ")
    print(f"{100 * met / max(1, right):.2f} % of the {right} that no MIB contradicts")


def _print(coverage: Coverage, limit: int | None) -> None:
    counts = (coverage.expected, len(coverage.met), len(coverage.explained), len(coverage.unexplained))
    print(f"{coverage.capture:44} {coverage.profile or '-':24} {counts[0]:8} {counts[1]:5} {counts[2]:9}", end=" ")
    print(f"{counts[3]:5} {len(coverage.readings):5} {coverage.seconds:5.2f} {coverage.error}")
    for item, told in coverage.unexplained[:limit] if coverage.profile else []:
        print(f"    {item.oid} {item.quantity} = {item.value:.9g} ({item.text}): {told}")
    if coverage.profile and limit and len(coverage.unexplained) > limit:
        print(f"    … and {len(coverage.unexplained) - limit} more")


if __name__ == "__main__":
    main(sys.argv[1:])
