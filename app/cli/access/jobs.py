"""`wattline jobs`: the jobs of a user with their energy."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from app.cli.access.login import Limit, Mine, who_is
from app.cli.options import SERVER, Token, Url
from app.cli.terminal import console
from app.errors import Unavailable

_HEAD = f"{'start':20}  {'job':>10}  {'name':24}  {'state':10}  {'energy kWh':>10}"


def command(
    mine: Mine = True,
    limit: Limit = 20,
    as_json: Annotated[bool, typer.Option("--json", help="The answer of the API.")] = False,
    url: Url = SERVER,
    token: Token = "",
) -> None:
    """List jobs with their energy, newest first."""
    query: dict[str, Any] = {"limit": limit}
    if mine:
        query["user"] = who_is(url, token) if token else _without_token()
    answer = _get(url, token, query)
    if as_json:
        typer.echo(json.dumps(answer))
        return
    typer.echo(_HEAD)
    for job in answer["items"]:
        typer.echo(_line(job))


def _without_token() -> str:
    console.print("without a token: jobs of the user who runs this command", markup=False)
    import getpass

    return getpass.getuser()


def _get(url: str, token: str, query: dict[str, Any]) -> dict[str, Any]:
    import httpx

    from app.client import api_error

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        response = httpx.get(f"{url}/api/v1/jobs", params=query, headers=headers, timeout=60)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unavailable(f"{url} does not respond: {error}", "set --url or WATTLINE_URL") from error
    if response.is_error:
        raise api_error(response)
    found: dict[str, Any] = response.json()
    return found


def _line(job: dict[str, Any]) -> str:
    energy_kwh = (job["summary"] or {}).get("energy_kwh")
    energy = "–" if energy_kwh is None else f"{energy_kwh:.3f}"
    state = "running" if job["end"] is None else job["state"] or "ended"
    name = "".join(c if c.isprintable() else "?" for c in job["name"])
    return f"{job['start'][:19]:20}  {job['job_id'] or '–':>10}  {name[:24]:24}  {state[:10]:10}  {energy:>10}"
