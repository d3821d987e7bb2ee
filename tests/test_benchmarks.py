"""`make bench` starts: its modules follow the product's names, though no test runs them."""

from tests.benchmarks import __main__ as bench


def test_every_section_can_be_run():
    assert list(bench.SECTIONS) == ["sizes", "ingest", "job", "months", "scale", "node-exporter", "snmp", "pages"]
