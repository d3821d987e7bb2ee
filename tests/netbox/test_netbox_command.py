"""`wattline import netbox` from the command line."""

from typer.testing import CliRunner

from app.cli import app as command_line
from app.store.database.engine import migrate
from tests.netbox.server import Server, paged


def test_the_command_changes_nothing_until_it_is_asked_to(sqlite_engine, monkeypatch):
    migrate(sqlite_engine)
    monkeypatch.setenv("WATTLINE_DATABASE_URL", str(sqlite_engine.url))
    monkeypatch.setenv("NETBOX_TOKEN", "nbt_abc.def")
    with Server(paged) as server:
        said = ["import", "netbox", server.url, "--token", "env:NETBOX_TOKEN", "--role", "server"]
        would = CliRunner().invoke(command_line, said)
        assert "+ nodes.hgx-01: " in would.stdout
        assert "nothing was changed; use --apply to apply the changes" in would.stderr
        again = CliRunner().invoke(command_line, said)
        assert again.stdout == would.stdout
        for option, slug, there in [("--site", "bln", "bnl"), ("--role", "sever", "chassis, pdu, server, switch")]:
            wrong = CliRunner().invoke(command_line, [*said, option, slug]).exception
            assert f"{slug!r}" in str(wrong)
            assert wrong.hint.endswith(there)
        assert CliRunner().invoke(command_line, [*said, "--apply"]).exit_code == 0
        assert "nothing to change" in CliRunner().invoke(command_line, said).stdout
        text = CliRunner().invoke(command_line, [*said, "--toml"]).stdout
        assert 'feeds = ["pdu-r07-a/outlet/1", "pdu-r07-b/outlet/1"]' in text
