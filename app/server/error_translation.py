"""What goes wrong around us, told as our own errors: settings that cannot be read, a database that does not answer."""

from __future__ import annotations

from pydantic import ValidationError

from app.errors import Invalid, Unavailable, WattlineError
from app.store.database import GONE, BadDatabaseUrl, driver_says, fault


def told(error: Exception) -> WattlineError | None:
    """The same error in words and with a way out; None where only a traceback helps."""
    if isinstance(error, ValidationError) and error.title == "Settings":
        return _setting(error)
    if isinstance(error, BadDatabaseUrl):
        return Invalid(f"WATTLINE_DATABASE_URL: {error}", "without the variable it is a SQLite file in the data folder")
    found = fault(error)
    if found is None:
        return None
    if found is not GONE:
        return Unavailable(found.detail, found.hint)
    return Unavailable(
        f"{found.detail}: {driver_says(error)}", "does it run, and is WATTLINE_DATABASE_URL the right address?"
    )


def _setting(error: ValidationError) -> Invalid:
    wrong = error.errors()[0]
    variable = "_".join(("WATTLINE", *(str(part).upper() for part in wrong["loc"])))
    return Invalid(f"{variable}: {wrong['msg']}", "correct the variable, or the option of that name")
