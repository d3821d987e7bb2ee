"""What the command line says when its surroundings are wrong: a sentence and a way out, never a traceback."""

import asyncio
import os
import socket

import pytest
from typer.testing import CliRunner

from app import cli
from app.server import prepare
from app.settings import Settings
from tests.http_responder import responding


def said(monkeypatch, capsys, *arguments):
    """What `wattline …` prints as errors; it must fail with 1."""
    monkeypatch.setattr("sys.argv", ["wattline", *arguments])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 1
    return capsys.readouterr().err


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("WATTLINE_PORT", str(free.getsockname()[1]))  # a server may run on 8000
    monkeypatch.setenv("WATTLINE_DATA_DIR", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def silent_port():
    """A port of this machine that takes no connection while we hold it."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.mark.parametrize(("value", "reason"), [("abc", "valid integer"), ("99999", "less than or equal to 65535")])
def test_a_setting_that_cannot_be_read_is_named(monkeypatch, capsys, value, reason):
    monkeypatch.setenv("WATTLINE_PORT", value)
    text = said(monkeypatch, capsys, "serve")
    assert text.startswith("error: WATTLINE_PORT: ")
    assert reason in text


@pytest.mark.parametrize(
    "url", ["wattline", "postgresql//here", "oracle9://x/y", "sqlite://", "sqlite:////dev/null/x/db"]
)
def test_an_address_of_no_database(monkeypatch, capsys, url):
    monkeypatch.setenv("WATTLINE_DATABASE_URL", url)
    assert said(monkeypatch, capsys, "serve").startswith("error: WATTLINE_DATABASE_URL: ")


def test_a_database_that_does_not_answer(monkeypatch, capsys, silent_port):
    monkeypatch.setenv("WATTLINE_DATABASE_URL", f"postgresql://wl:se-cret@127.0.0.1:{silent_port}/wattline")
    text = said(monkeypatch, capsys, "serve")
    assert text.startswith("error: the database does not answer: connection failed")
    assert "WATTLINE_DATABASE_URL" in text
    assert "se-cret" not in text


@pytest.mark.parametrize("command", [["users", "list"], ["users", "add", "ada", "--role", "viewer"], ["db", "stats"]])
def test_a_database_without_tables(monkeypatch, capsys, surroundings, command):
    """Mostly the working folder or WATTLINE_DATA_DIR is another one than the server's."""
    text = said(monkeypatch, capsys, *command)
    assert text.startswith("error: sqlite:///")
    assert "has not the schema of this version" in text
    assert "WATTLINE_DATA_DIR" in text
    assert "Traceback" not in text


def test_a_mistake_is_reported_with_its_line(monkeypatch, capsys, surroundings):
    (surroundings / "hall.toml").write_text('[site]\nkey = "lab"' + "\n" * 98 + '[racks.r1]\ncapacity_w = "much"\n')
    text = said(monkeypatch, capsys, "apply", str(surroundings / "hall.toml"))
    assert "hall.toml:101: racks.r1.capacity_w" in text
    (surroundings / "hall.toml").write_text('[site]\nkey = "lab"' + "\n" * 97 + '[racks.r1]\ncapacity_w = "much"\n')
    # what stands between colons is not the name of an emoji
    assert "hall.toml:100: racks.r1.capacity_w" in said(monkeypatch, capsys, "apply", str(surroundings / "hall.toml"))


def test_what_is_doubtful_in_a_facility_is_reported_at_the_start_too(capsys, surroundings):
    (surroundings / "hall.toml").write_text('[site]\nkey = "lab"\n[models.m]\nrated_w = 500\n[nodes.n1]\nmodel = "m"\n')
    prepare(Settings(), surroundings / "hall.toml")
    assert "note: nodes without feeds have no wall reading: n1" in " ".join(capsys.readouterr().err.split())


def test_a_port_that_is_taken(monkeypatch, capsys, silent_port):
    monkeypatch.setenv("WATTLINE_PORT", str(silent_port))
    text = said(monkeypatch, capsys, "serve")
    assert f"error: cannot listen on 127.0.0.1:{silent_port}" in text
    assert "--port" in text


@pytest.mark.parametrize("command", ["serve", "collect"])
def test_a_data_folder_that_cannot_be_made(monkeypatch, capsys, surroundings, command):
    (surroundings / "file").touch()
    monkeypatch.setenv("WATTLINE_DATA_DIR", str(surroundings / "file" / "data"))
    assert "WATTLINE_DATA_DIR" in said(monkeypatch, capsys, command)


def test_a_fault_of_ours_keeps_its_traceback(monkeypatch):
    monkeypatch.setattr("app.server.run_server", lambda *_: 1 / 0)
    monkeypatch.setattr("sys.argv", ["wattline", "serve"])
    with pytest.raises(ZeroDivisionError):
        cli.main()


def test_the_doctor_finds_nothing_wrong_before_the_first_start():
    answer = CliRunner().invoke(cli.app, ["doctor"])
    assert (answer.exit_code, "is empty: wattline up creates its tables" in " ".join(answer.output.split())) == (
        0,
        True,
    )


def test_the_doctor_tells_a_database_that_does_not_answer(monkeypatch, silent_port):
    monkeypatch.setenv("WATTLINE_DATABASE_URL", f"postgresql://wl@127.0.0.1:{silent_port}/wattline")
    answer = CliRunner().invoke(cli.app, ["doctor"])
    assert answer.exit_code == 1
    assert "BAD database: the database does not answer" in " ".join(answer.output.split())


@pytest.mark.anyio
async def test_a_proxy_of_the_environment_does_not_stand_before_our_own_server(monkeypatch, capsys, silent_port):
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{silent_port}")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "example.org")
    async with responding(lambda _: (422, {"detail": "here I am"})) as server:
        monkeypatch.setenv("WATTLINE_URL", server.url)
        text = await asyncio.to_thread(said, monkeypatch, capsys, "factor", "s1", "pue", "--value", "1.2")
    assert text.strip() == "error: here I am"
    assert os.environ["no_proxy"] == "example.org,localhost,127.0.0.1,::1"
