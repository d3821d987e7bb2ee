"""`wattline login`: a code on the terminal, compared and allowed on a page, becomes a token."""

from functools import partial

import pytest
from typer.testing import CliRunner

from app.cli import app as commands
from app.cli.access import login as login_command
from app.cli.access.device_login import token_by_code
from app.cli.access.stored_login import read
from app.errors import Forbidden, NotFound
from app.server.serving import serving

URL = "/api/v1/device-login"


@pytest.fixture
def engine(sqlite_engine):
    return sqlite_engine


def begin(client):
    answer = client.post(URL, json={"host": "login1"})
    assert answer.status_code == 201, answer.text
    return answer.json()


def redeem(client, begun):
    return client.post(f"{URL}/token", json={"device_code": begun["device_code"]})


def test_a_command_gets_a_token_once_a_user_has_let_it_in(people, sign_in, closed):
    people("ada", "researcher")
    begun = begin(closed)
    assert begun["url"] == f"http://127.0.0.1/connect?code={begun['user_code']}"
    pending = redeem(closed, begun)
    assert (pending.status_code, pending.json()["code"]) == (409, "authorization_pending")
    assert closed.get(f"{URL}/{begun['user_code']}").status_code == 401
    ada = sign_in("ada")
    shown = ada.get(f"{URL}/{begun['user_code'].lower()}").json()
    assert (shown["host"], shown["address"]) == ("login1", "testclient")
    assert ada.post(f"{URL}/{begun['user_code']}", json={"allow": True}).status_code == 204
    assert ada.get(f"{URL}/{begun['user_code']}").status_code == 404, "decided"
    closed.cookies.clear()
    made = redeem(closed, begun)
    assert (made.status_code, made.json()["owner"], made.json()["scopes"]) == (201, "ada", ["read", "jobs:write"])
    me = closed.get("/api/v1/me", headers={"Authorization": f"Bearer {made.json()['token']}"}).json()
    assert (me["name"], me["permissions"]) == ("ada", ["jobs:write", "read"])
    assert redeem(closed, begun).json()["code"] == "expired_token"
    again = begin(closed)
    bearer = {"Authorization": f"Bearer {made.json()['token']}"}
    by_token = closed.post(f"{URL}/{again['user_code']}", json={"allow": True}, headers=bearer)
    assert by_token.status_code == 403, "a token makes no tokens"


def test_a_refused_and_an_expired_command_get_nothing(people, sign_in, closed, clock):
    people("vera", "viewer")
    refused, expired = begin(closed), begin(closed)
    vera = sign_in("vera")
    assert vera.post(f"{URL}/{refused['user_code']}", json={"allow": False}).status_code == 204
    assert redeem(closed, refused).json()["code"] == "access_denied"
    assert vera.post(f"{URL}/{expired['user_code']}", json={"allow": True}).status_code == 204
    clock.now += 600_000
    assert redeem(closed, expired).json()["code"] == "expired_token"


def test_codes_are_not_guessed_and_commands_do_not_pile_up(people, sign_in, closed):
    people("ada", "researcher")
    ada = sign_in("ada")
    tries = [ada.get(f"{URL}/BCDF-GHJ{letter}").status_code for letter in "BCDFGHJKLMN"]
    assert tries == [404] * 10 + [429]
    asked = [closed.post(URL, json={"host": "x"}).status_code for _ in range(21)]
    assert asked == [201] * 20 + [429]


def test_the_command_waits_for_the_user(people, closed, monkeypatch, tmp_path):
    people("vera", "viewer")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(login_command.sys, "stdin", type("Terminal", (), {"isatty": lambda _: True})())
    stores, shown = closed.app.state.stores, []

    def decide(user):
        def sleep(_):
            code = shown[-1].split()[-1].replace("-", "")
            assert stores.device_logins.decide(code, user, 0)

        return sleep

    with serving(closed.app, background_tasks=False) as url:
        assert token_by_code(url, shown.append, decide("vera")).startswith("wl_")
        assert f"{url}/connect?code=" in shown[0]
        with pytest.raises(Forbidden, match="refused"):
            token_by_code(url, shown.append, decide(""))
        with pytest.raises(NotFound, match="expired"):
            token_by_code(url, shown.append, decide_and_lose(stores, shown))
        by_code = partial(token_by_code, show=shown.append, sleep=decide("vera"))
        monkeypatch.setattr(login_command, "token_by_code", lambda at, _show: by_code(at))
        login_command.login(url)
    assert read().url == url
    (listed, *_) = stores.tokens.all("vera")
    assert (listed.scopes, listed.name.startswith("wattline login on ")) == (("read",), True)


def decide_and_lose(stores, shown):
    def sleep(_):
        (code,) = [shown[-1].split()[-1].replace("-", "")]
        stores.device_logins.take(stores.device_logins.waiting(code, 0).hash)

    return sleep


def test_without_a_terminal_a_token_is_read():
    shown = CliRunner().invoke(commands, ["login", "--help"], env={"COLUMNS": "200"}).output
    assert "--paste" in shown
    assert "standard input" in shown
