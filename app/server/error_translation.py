"""Translate errors of the environment into Wattline errors: invalid settings, an unreachable database."""

from __future__ import annotations

from pydantic import ValidationError

from app.errors import Invalid, Unavailable, WattlineError
from app.store.database import GONE, BadDatabaseUrl, driver_says, fault


def translate(error: Exception) -> WattlineError | None:
    """Return the error as a Wattline error with a hint; None if only a traceback helps."""
    if isinstance(error, ValidationError) and error.title == "Settings":
        return _setting(error)
    if isinstance(error, BadDatabaseUrl):
        return Invalid(f"WATTLINE_DATABASE_URL: {error}", "unset it to use a SQLite file in the data directory")
    found = fault(error)
    if found is None:
        return None
    if found is not GONE:
        return Unavailable(found.detail, found.hint)
    return Unavailable(
        f"{found.detail}: {driver_says(error)}", "check that it runs and that WATTLINE_DATABASE_URL is its address"
    )


def _setting(error: ValidationError) -> Invalid:
    wrong = error.errors()[0]
    if not wrong["loc"]:  # of several settings together
        return Invalid(wrong["msg"].removeprefix("Value error, "), "correct these environment variables")
    variable = "_".join(("WATTLINE", *(str(part).upper() for part in wrong["loc"])))
    return Invalid(f"{variable}: {wrong['msg']}", "correct the environment variable or the option of the same name")
