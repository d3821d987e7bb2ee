"""How well names match the words of a search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

_BREAK = re.compile(r"[\s/_.:,-]+")


@dataclass(frozen=True)
class Ranking:
    """The text of a search. Case does not matter."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words, each of which must be found."""
        return tuple(self.text.casefold().split())

    def rank(self, names: Sequence[str | None], others: Sequence[str | None] = ()) -> int | None:
        """Return how well a thing matches, 0 best: its whole name, the start of a name, starts of words in its names,
        any part of its names, and last with words that only `others` contain. None: a word is in none of them.
        """
        if not self.words:
            return None
        own = [name.casefold() for name in names if name]
        text = " ".join(own)
        if not all(word in text for word in self.words):
            every = " ".join([text, *(other.casefold() for other in others if other)])
            return 4 if all(word in every for word in self.words) else None
        whole = " ".join(self.words)
        if whole in own:
            return 0
        if any(name.startswith(whole) for name in own):
            return 1
        parts = _BREAK.split(text)
        return 2 if all(any(part.startswith(word) for part in parts) for word in self.words) else 3
