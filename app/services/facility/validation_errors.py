"""Errors in facility files and requests: the thing, its value, what is wrong, the suggested fix."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from app.errors import Invalid, Mistake
from app.services.facility.toml import Path

_PLAIN_AUTH_KEYS = frozenset({"label", "snmp", "user", "auth", "priv", "ca", "context", "context_engine"})
_SECRET_KEY = re.compile(r"community|password|passphrase|secret|token", re.IGNORECASE)
_CREDENTIALS = re.compile(r"://[^/@\s]*@")
_LONGEST_VALUE = 60
_FEW = 500
_WRONG = {
    "dict_type": "must be a table",
    "extra_forbidden": "unknown key",
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "greater_than": "must be greater than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "int_from_float": "must be a whole number",
    "int_type": "must be a whole number",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be at most {le:g}",
    "list_type": "must be a list",
    "literal_error": "must be {expected}",
    "missing": "is missing",
    "model_attributes_type": "must be a table",
    "model_type": "must be a table",
    "string_too_long": "must not be longer than {max_length} characters",
    "string_too_short": "must not be empty",
    "string_type": "must be text in quotes",
}
_OTHER_UNITS = {
    "_kw": ("_w", "in watts: multiply by 1000"),
    "_mw": ("_w", "in watts: multiply by 1000000"),
    "_ms": ("_s", "in seconds: divide by 1000"),
    "_min": ("_s", "in seconds: multiply by 60"),
}
_VALUELESS = frozenset({"dict_type", "missing", "model_attributes_type", "model_type"})


@dataclass(frozen=True, slots=True)
class ValidationFinding:
    """An error whose place in a file or request is not known yet.

    Attributes
    ----------
    path: kind, key, field and index of the thing: `("nodes", "hgx-01", "feeds", 0)`.
    value: what is written there, as text; empty if nothing is.
    """

    path: Path
    value: str
    wrong: str
    suggested_fix: str = ""

    @property
    def thing(self) -> str:
        """The thing and its value: `models.hgx-h100.rated_w = -5`."""
        name = ".".join(str(part) for part in self.path if isinstance(part, str))
        return f"{name} = {self.value}" if self.value else name

    @property
    def text(self) -> str:
        """The whole error on one line."""
        sentence = f"{self.wrong}; {self.suggested_fix}" if self.suggested_fix else self.wrong
        return f"{self.thing}: {sentence}" if self.path else sentence


@dataclass(frozen=True, order=True)
class LocatedError:
    """An error and its place in a file."""

    file: str
    line: int
    finding: ValidationFinding = field(compare=False)

    @property
    def text(self) -> str:
        """`file:line: thing = value: what is wrong; suggested fix`."""
        return f"{self.file}:{self.line}: {self.finding.text}"

    @property
    def mistake(self) -> Mistake:
        """Return the error as an item of a problem document."""
        where = f"{self.file}:{self.line}: {self.finding.thing}" if self.finding.path else f"{self.file}:{self.line}"
        return Mistake(where, self.finding.wrong, self.finding.suggested_fix)


class FacilityErrors(Invalid):
    """A facility file with errors, of which nothing was applied."""

    code = "bad_facility"

    def __init__(self, placed: Sequence[LocatedError]) -> None:
        self.placed = tuple(sorted(placed))
        count = "1 mistake" if len(placed) == 1 else f"{len(placed)} mistakes"
        lines = "\n".join(place.text for place in self.placed)
        super().__init__(
            f"{count}, nothing applied\n{lines}",
            "correct the file and apply it again",
            errors=[place.mistake for place in self.placed],
        )


def shown(path: Path, value: object) -> str:
    """Return a value in a form that may be shown: short, on one line, never a secret; empty for a table."""
    if isinstance(value, Mapping):
        return ""
    if _is_secret(path):
        return "***"
    text = value if isinstance(value, _Source) else json.dumps(value, ensure_ascii=False, default=str)
    text = _CREDENTIALS.sub("://***@", text)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def _is_secret(path: Path) -> bool:
    in_auth = len(path) > 0 and path[0] in ("auth", "auths") and path[-1] not in _PLAIN_AUTH_KEYS
    return in_auth or any(_SECRET_KEY.search(str(part)) for part in path[2:])


class _Source(str):
    """Text as written in the file, including quotes."""

    __slots__ = ()


def as_written(path: Path, source: str) -> str:
    """Return a piece of source text in a form that may be shown."""
    if not path and _SECRET_KEY.search(source):
        return "***"
    return shown(path, _Source(source)) if source else ""


def meant(name: str, known: Sequence[str]) -> str:
    """Return the suggested fix for an unknown name: the nearest known name, or all of them."""
    for suffix, (base, unit) in _OTHER_UNITS.items():
        same = name.removesuffix(suffix) + base
        if name.endswith(suffix) and same in known:
            return f"did you mean {same}? It is {unit}"
    near = _nearest(name, tuple(known))
    if near:
        return f"did you mean {near}?"
    return f"known here: {', '.join(known)}" if known else "none is declared"


@lru_cache(maxsize=1024)
def _nearest(name: str, known: tuple[str, ...]) -> str | None:
    if len(known) > _FEW:
        known = tuple(other for other in known if other[:1] == name[:1] and abs(len(other) - len(name)) < 2)[:_FEW]
    near = get_close_matches(name, known, 1, 0.6)
    return near[0] if near else None


def explain(error: ValidationError, model: type[BaseModel], base: Path = ()) -> list[ValidationFinding]:
    """Return every error that the schema found, in our own text.

    Parameters
    ----------
    model: the schema that raised the error.
    base: path of the object that it was given.
    """
    return [_finding(detail, model, base) for detail in error.errors(include_url=False)]


def _finding(detail: ErrorDetails, model: type[BaseModel], base: Path) -> ValidationFinding:
    loc = tuple(part for part in detail["loc"] if part != "[key]")
    path = (*base, *loc)
    context: Mapping[str, object] = detail.get("ctx", {})
    if detail["type"] == "wattline":
        whole = isinstance(detail["input"], Mapping)
        value = "" if whole or "[key]" in detail["loc"] else shown(path, detail["input"])
        return ValidationFinding(path, value, str(context["what"]), str(context["suggested_fix"]))
    template = _WRONG.get(detail["type"], detail["msg"])
    value = "" if detail["type"] in _VALUELESS else shown(path, detail["input"])
    return ValidationFinding(path, value, template.format(**context), _suggest_fix(detail["type"], loc, model))


def _suggest_fix(kind: str, loc: Path, model: type[BaseModel]) -> str:
    if kind == "extra_forbidden":
        name, fields = str(loc[-1]), list(_fields(model, loc[:-1]))
        if len(loc) > 1 and name in model.model_fields:
            return "it belongs to the top of the file, before the first [table]"
        return meant(name, fields)
    found = _field(model, loc)
    return (found.description or "") if found else ""


def _field(model: type[BaseModel], loc: Path) -> FieldInfo | None:
    """Return the innermost field on the path to `loc`."""
    found: FieldInfo | None = None
    inner: type[BaseModel] | None = model
    for part in loc:
        if inner is not None and part in inner.model_fields:
            found = inner.model_fields[str(part)]
            inner = next(_models(found.annotation), None)
    return found


def _fields(model: type[BaseModel], loc: Path) -> Iterator[str]:
    """Return the keys that the object at `loc` may have."""
    found = _field(model, loc)
    inner = next(_models(found.annotation), None) if found else model
    return iter(inner.model_fields) if inner else iter(())


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)
