"""`wattline login`, `logout` and `jobs` of a plain user on a login node."""

import stat
from functools import cache

import pytest
from argon2 import PasswordHasher
from typer.testing import CliRunner

from app.cli import app
from app.cli.access.stored_login import StoredLogin, login_file, read, store, use_stored_login
from app.errors import Invalid
from app.server.application import create_app
from app.server.serving import serving
from app.services.access import Actor, TokenRequest, create_token, passwords
from app.services.access.identification import of_user
from app.settings import Settings
from app.store.access import User
from app.store.jobs import Job


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("WATTLINE_URL", "WATTLINE_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def test_a_user_logs_in_and_sees_own_jobs(sqlite_engine, tmp_path, monkeypatch):
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "_hasher", cache(lambda: cheap))
    server = create_app(Settings(data_dir=tmp_path, local_mode=False), engine=sqlite_engine)
    stores = server.state.stores
    stores.users.create(User("ada", ("researcher",)))
    for user in ("ada", "bob"):
        stores.jobs.create(Job(name=f"run of {user}", user=user, start_ms=1_790_000_000_000, end_ms=1_790_000_060_000))
    actor = Actor(of_user(stores.users.get("ada"), "session"))
    token = create_token(stores, actor, TokenRequest("laptop", ["read", "jobs:write"])).token
    with serving(server, background_tasks=False) as url:
        runner = CliRunner()
        wrong = runner.invoke(app, ["login", "--url", url], input="wl_wrong\n")
        assert wrong.exit_code == 1
        assert read() is None
        done = runner.invoke(app, ["login", "--url", url], input=f"{token}\n")
        assert "as ada" in done.output.replace("\n", " "), done.output
        assert token not in done.output
        assert stat.S_IMODE(login_file().stat().st_mode) == 0o600
        environment = {}
        use_stored_login(["jobs", "--mine"], environment)
        assert environment == {"WATTLINE_URL": url, "WATTLINE_TOKEN": token}
        listed = runner.invoke(app, ["jobs", "--mine"], env=environment)
        assert "run of ada" in listed.output
        assert "bob" not in listed.output
    assert runner.invoke(app, ["logout"]).exit_code == 0
    assert read() is None


def test_the_kept_token_goes_to_its_server_alone_and_to_commands_of_users():
    store(StoredLogin("https://power.example.org", "wl_x"))
    for arguments, environment in (
        (["collect"], {}),
        (["import"], {}),
        (["run"], {"WATTLINE_URL": "https://elsewhere.example.org"}),
        (["run"], {"WATTLINE_TOKEN": "own"}),
    ):
        before = dict(environment)
        use_stored_login(arguments, environment)
        assert environment.get("WATTLINE_TOKEN") == before.get("WATTLINE_TOKEN")
    again = {}
    use_stored_login(["run", "--", "python"], again)
    assert again["WATTLINE_TOKEN"] == "wl_x"


def test_a_file_that_others_can_read_is_refused():
    store(StoredLogin("https://power.example.org", "wl_x")).chmod(0o644)
    with pytest.raises(Invalid, match="others can read"):
        read()
