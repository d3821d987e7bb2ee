"""Secrets: references in the facility file (`env:NAME`, `file:PATH`), resolved on use."""

from __future__ import annotations

import os
from pathlib import Path

from collectors.errors import ConfigError


class Secret:
    """A text that prints as `***`; `reveal()` returns it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> str:
        raise TypeError("secrets cannot be pickled")


def resolve(reference: str) -> Secret:
    """Return the secret of a reference.

    Raises
    ------
    ConfigError
        It is not a reference, or its target does not exist.
    """
    kind, _, place = reference.partition(":")
    if kind == "env" and place:
        if place not in os.environ:
            raise ConfigError(
                f"environment variable {place} is not set", f"set {place} where the collector runs", "no_secret"
            )
        return Secret(os.environ[place])
    if kind == "file" and place:
        try:
            return Secret(Path(place).read_text(encoding="utf-8").strip())
        except OSError as error:
            raise ConfigError(f"the secret file {place} cannot be read", str(error.strerror), "no_secret") from None
    raise ConfigError(
        "the auth contains a secret in plain text",
        "write env:NAME or file:PATH instead",
        "bad_reference",
    )
