"""`wattline factor`: set the PUE, electricity price or carbon intensity of a site."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import ServerOrDatabase, Token
from app.cli.terminal import console
from app.errors import Invalid
from app.settings import Settings


def command(
    site: Annotated[str, typer.Argument(help="Key of the site.")],
    kind: Annotated[str, typer.Argument(help="pue, price or carbon.")],
    series: Annotated[Path | None, typer.Argument(help="CSV file of times and values of a changing factor.")] = None,
    value: Annotated[float | None, typer.Option(help="The value, for a constant factor.")] = None,
    unit: Annotated[str, typer.Option(help="1, EUR/kWh (any currency) or g/kWh.")] = "1",
    source: Annotated[str, typer.Option(help="Where the value comes from; part of every answer.")] = "",
    tz: Annotated[str, typer.Option(help="Time zone of times without an offset.")] = "UTC",
    url: ServerOrDatabase = "",
    token: Token = "",
) -> None:
    """Set the PUE, electricity price or carbon intensity of a site."""
    console.print(asyncio.run(_set_factor(url, token, site, kind, series, value, unit, source, tz)))


async def _set_factor(
    url: str,
    token: str,
    site: str,
    kind: str,
    series: Path | None,
    value: float | None,
    unit: str,
    source: str,
    tz: str,
) -> str:
    from app.client import api_error
    from app.server import open_client

    if (series is None) == (value is None):
        raise Invalid("a factor is either a constant or a series", "give either --value or a CSV file", code="no_value")
    path = f"/api/v1/sites/{site}/factors/{kind}"
    async with open_client(Settings(), url, token) as client:
        if series is None:
            answer = await client.put(path, json={"unit": unit, "source": source, "value": value})
        else:
            try:
                content = series.read_bytes()
            except OSError as error:
                raise Invalid(f"{series}: {error.strerror}", "name a CSV file", code="no_file") from None
            query = {"unit": unit, "source": source, "tz": tz}
            answer = await client.put(f"{path}/series.csv", params=query, content=content)
    if answer.is_error:
        raise api_error(answer)
    what = "a series" if series else f"{value:g} {unit}"
    return f"{kind} of {site} set to {what}, source: {source}"
