"""The stored login of a user: address of the server and token, in a file that its owner alone reads."""

from __future__ import annotations

import json
import os
from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import Path

from app.errors import Invalid

USING = frozenset({"jobs", "run", "spool", "sweep"})
"""Commands of users on a login node. A server or a collector on the same machine never takes a user's token."""


@dataclass(frozen=True)
class StoredLogin:
    """Where a user signed in, and with which token."""

    url: str
    token: str


def login_file() -> Path:
    """Return the file: `wattline/login.json` in the user's configuration folder."""
    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(folder) / "wattline" / "login.json"


def store(login: StoredLogin) -> Path:
    """Write the file with mode 0600, in a folder with mode 0700."""
    path = login_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({"url": login.url, "token": login.token}, file)
    new.replace(path)
    return path


def read() -> StoredLogin | None:
    """Return the stored login; None without one.

    Raises
    ------
    Invalid
        Others can read the file, or it is not ours.
    """
    path = login_file()
    try:
        mode = path.stat().st_mode & 0o077
        if mode:
            raise Invalid(
                f"others can read {path}", f"chmod 600 {path}, and make a new token", code="readable_by_others"
            )
        content = json.loads(path.read_text("utf-8"))
        return StoredLogin(str(content["url"]), str(content["token"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        raise Invalid(f"{path} cannot be read", "run `wattline login` again", code="bad_login_file") from None


def remove() -> bool:
    """Delete the file; return whether there was one."""
    try:
        login_file().unlink()
    except FileNotFoundError:
        return False
    return True


def use_stored_login(arguments: list[str], environment: MutableMapping[str, str]) -> None:
    """Let a command of a user take address and token of the stored login, unless the environment names others.

    Raises
    ------
    Invalid
        The stored login cannot be read; not for `wattline run`, which runs its command in any case.
    """
    if not USING & set(arguments[:1]) or environment.get("WATTLINE_TOKEN"):
        return
    try:
        login = read()
    except Invalid:
        if arguments[0] != "run":
            raise
        return  # a broken file costs no run: without a token it is registered later
    if login is not None and environment.setdefault("WATTLINE_URL", login.url) == login.url:
        environment["WATTLINE_TOKEN"] = login.token
