"""`wattline login`: keep a token of a user for `wattline run`, `jobs` and `sweep`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from app.cli.access import stored_login
from app.cli.access.device_login import token_by_code
from app.cli.options import SERVER, Url
from app.cli.terminal import console
from app.errors import Invalid, Unavailable

Paste = Annotated[bool, typer.Option("--paste", help="Paste a token of the page Tokens instead.")]


def login(url: Url = SERVER, paste: Paste = False) -> None:
    """Let this machine in on a page of the server, and keep its token in a file that only you can read.

    Without a terminal a token is read from standard input.
    """
    token = token_by_code(url, _show) if sys.stdin.isatty() and not paste else None
    if token is None:
        _show(f"make a token at {url.rstrip('/')}/account and paste it here")
        token = typer.prompt("Token", hide_input=True) if sys.stdin.isatty() else sys.stdin.readline()
    name = who_is(url, token.strip())
    path = stored_login.store(stored_login.StoredLogin(url, token.strip()))
    console.print(f"signed in to {url} as {name}; kept in {path}", markup=False, soft_wrap=True)


def _show(text: str) -> None:
    console.print(text, markup=False, soft_wrap=True)


def logout() -> None:
    """Delete the kept token. It stays valid: revoke it on the page Tokens."""
    done = stored_login.remove()
    console.print("deleted; revoke the token on the page Tokens" if done else "there is no kept token", markup=False)


def who_is(url: str, token: str) -> str:
    """Return the user of a token.

    Raises
    ------
    Unavailable, Unauthorized, Invalid
    """
    if not token or not token.isascii() or not token.isprintable():
        raise Invalid("this is not a token", "copy it from the page Tokens", code="bad_token")
    import httpx

    from app.client import api_error

    try:
        response = httpx.get(f"{url}/api/v1/me", headers={"Authorization": f"Bearer {token}"}, timeout=15)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unavailable(f"{url} does not respond: {error}", "set --url or WATTLINE_URL") from error
    if response.is_error:
        raise api_error(response)
    return str(response.json()["name"])


Mine = Annotated[bool, typer.Option("--mine/--all", help="Only your own jobs, or all that you may see.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=500, help="How many, newest first.")]
