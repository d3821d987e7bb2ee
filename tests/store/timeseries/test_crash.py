"""A short run of `make torture`."""

from tests.torture.run import torture


def test_what_was_acknowledged_survives_the_death_of_every_process(engine, tmp_path):
    report = torture(engine, tmp_path, kills=5)
    assert report.kills == 5
    assert report.batches >= 5
    assert report.samples > 0
