"""Secrets: references in the facility (`env:NAME`, `file:PATH`), resolved where they are used."""

from __future__ import annotations

import os
from pathlib import Path

from collectors.errors import ConfigError


class Secret:
    """A text that prints as `***`; `reveal()` gives it to the one place that sends it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> str:
        raise TypeError("a secret is not written down")


def resolve(reference: str) -> Secret:
    """The secret that a reference points to.

    Raises
    ------
    ConfigError
        It is no reference, or there is nothing where it points.
    """
    kind, _, place = reference.partition(":")
    if kind == "env" and place:
        if place not in os.environ:
            raise ConfigError(f"the environment has no {place}", f"set {place} where the collector runs", "no_secret")
        return Secret(os.environ[place])
    if kind == "file" and place:
        try:
            return Secret(Path(place).read_text(encoding="utf-8").strip())
        except OSError as error:
            raise ConfigError(f"the secret file {place} cannot be read", str(error.strerror), "no_secret") from None
    raise ConfigError(
        "a secret is written out where a reference to it belongs",
        "write env:NAME or file:PATH instead",
        "bad_reference",
    )
