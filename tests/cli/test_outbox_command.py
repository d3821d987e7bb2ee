"""`wattline outbox`: what a collector could not deliver."""

import pytest
from typer.testing import CliRunner

from app import cli
from collectors.contract.frame import Frame, Layout, Quantity, Series
from collectors.delivery import ClockState, Outbox

LAYOUT = Layout("pdu-1", "main", 10_000, (Series("inlet", Quantity.POWER),))
NOW = 1_795_176_000_000  # 2026-11-20T12:00:00Z


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.setenv("WATTLINE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    box = Outbox(tmp_path / "outbox-west.sqlite")
    box.put([Frame(LAYOUT, NOW + 3_600_000, (1.0,))], ClockState(NOW + 3_600_000, NOW))
    box.put([Frame(LAYOUT, NOW, (1.0,)), Frame(LAYOUT, NOW + 10_000, (1.0,))])
    (batch,) = box.batches(10)
    box.dead.reject(batch.ids[:1], NOW, "bad_value", "not a number")
    box.close()

    def call(*arguments: str, code: int = 0) -> str:
        result = CliRunner().invoke(cli.app, ["outbox", *arguments, "--name", "west"])
        assert result.exit_code == code, result.output
        return " ".join(result.output.split())

    return call


def test_what_waits_was_rejected_and_is_held_is_listed(run):
    text = run("list")
    assert "1 frames wait for the server" in text
    assert "clock_ahead" in text
    assert "3600.0 s" in text
    assert "2026-11-20T13:00:00Z" in text
    assert "not a number" in text


def test_held_readings_are_delivered_with_the_time_of_the_server(run, tmp_path):
    assert run("replay", "--code", "clock_ahead", "--shift").startswith("1 put back")
    box = Outbox(tmp_path / "outbox-west.sqlite")
    assert box.batches(10)[0].t_ms == (NOW, NOW + 10_000)
    box.close()


def test_nothing_is_deleted_without_a_yes(run):
    run("drop", code=1)
    assert run("drop", "--yes", "--device", "pdu-1").startswith("2 deleted")
    assert "no dead letters" in run("list")


def test_an_outbox_that_does_not_exist_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("WATTLINE_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["wattline", "outbox", "list", "--name", "east"])
    with pytest.raises(SystemExit):
        cli.main()
    assert "outbox-east.sqlite" in capsys.readouterr().err
