"""`wattline factor`: what a site's energy costs, told to a server or to this installation's database."""

from __future__ import annotations

from pathlib import Path

from app.client import refusal
from app.errors import Invalid
from app.server import open_client
from app.settings import Settings


async def tell_factor(
    settings: Settings,
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
    """Tell a factor as a constant or as the series of a CSV file; returns a line about it.

    Raises
    ------
    Invalid
        Neither or both are given, the file cannot be read, or the server refuses it.
    """
    if (series is None) == (value is None):
        raise Invalid("a factor is a constant or a series", "give --value, or a CSV file", code="no_value")
    path = f"/api/v1/sites/{site}/factors/{kind}"
    async with open_client(settings, url, token) as client:
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
        raise refusal(answer)
    what = "a series" if series else f"{value:g} {unit}"
    return f"{kind} of {site} is {what}, by {source}"
