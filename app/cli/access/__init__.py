"""`wattline users`, `login` and `jobs`: accounts of the server, and what a user does with one."""

from __future__ import annotations

from app.cli.access import jobs, login, stored_login
from app.cli.access.users import commands

__all__ = ["commands", "jobs", "login", "stored_login"]
