"""What is declared about a field of a facility object, and what follows from it.

A field is declared once, on its class in `app.models.facility`. The column of the table, the key in the facility file,
the field of the API and the row in the documentation are derived from that declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Annotated, Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from sqlalchemy import RowMapping

Thing = TypeVar("Thing")
REQUIRED = ...
"""The default of a key that must be written."""


@dataclass(frozen=True)
class Key:
    """How a field is written in the facility file and in requests.

    Attributes
    ----------
    description: shown by the API and the documentation, and as the suggested fix of a wrong value.
    type: what may be written, as pydantic reads it.
    default: the value where the key is omitted, or REQUIRED.
    is_set: order and repetitions mean nothing; stored sorted.
    stored: whether the object's own table holds it.
    """

    description: str
    type: Any
    default: Any = None
    is_set: bool = False
    stored: bool = True


@dataclass(frozen=True)
class Declared:
    """A field of a class: the type of its value, whether it may be None, and its key if it has one."""

    name: str
    type: Any
    nullable: bool
    key: Key | None


class Entry(BaseModel):
    """Base of what is written about a thing. Unknown keys are errors; text is not accepted as a number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


@cache
def declared_fields(class_: Callable[..., Any]) -> tuple[Declared, ...]:
    """Return the fields of a dataclass in the order of their declaration."""
    hints = get_type_hints(class_, include_extras=True)
    return tuple(_declared(field.name, hints[field.name]) for field in fields(cast("type", class_)))


def _declared(name: str, hint: Any) -> Declared:  # noqa: ANN401 (a type annotation)
    key = None
    if get_origin(hint) is Annotated:
        hint, *metadata = get_args(hint)
        key = next((one for one in metadata if isinstance(one, Key)), None)
    options = get_args(hint)
    if NoneType not in options:
        return Declared(name, hint, False, key)
    (type_,) = (option for option in options if option is not NoneType)
    return Declared(name, type_, True, key)


def entry_of(class_: type, name: str, base: type[Entry] = Entry) -> type[Entry]:
    """Return the pydantic model of what may be written about an object of a class."""
    model = create_model(name, __base__=base, __doc__=class_.__doc__, **dict(_written_fields(class_)))
    return cast("type[Entry]", model)


def _written_fields(class_: type) -> Iterator[tuple[str, Any]]:
    for field in declared_fields(class_):
        if field.key is None:
            continue
        type_ = entry_of(field.type, f"{field.type.__name__}Keys") if _is_part(field.type) else field.key.type
        default = field.key.default
        if isinstance(default, list):
            default_is: dict[str, Any] = {"default_factory": default.copy}
        else:
            default_is = {"default": default}
        yield (
            field.name,
            (type_ | None if default is None else type_, Field(**default_is, description=field.key.description)),
        )


def values_of(class_: type, entry: Entry) -> dict[str, Any]:
    """Return what an entry says, as the values of the class's fields."""
    return {field.name: _value(field, getattr(entry, field.name)) for field in declared_fields(class_) if field.key}


def _value(field: Declared, written: Any) -> Any:  # noqa: ANN401 (whatever a key holds)
    if isinstance(written, BaseModel):
        return field.type(**written.model_dump())
    if isinstance(written, list):
        return tuple(sorted(set(written)) if field.key and field.key.is_set else written)
    return written


def loader(class_: Callable[..., Thing], names: frozenset[str]) -> Callable[[RowMapping], Thing]:
    """Return a function that makes an object from a row of a table with the columns `names`."""
    known = [field for field in declared_fields(class_) if field.name in names]
    plain = [field.name for field in known if not _is_document(field.type)]
    documents = [
        (field.name, field.type if _is_part(field.type) else None) for field in known if _is_document(field.type)
    ]

    def load(row: RowMapping) -> Thing:
        values = {name: row[name] for name in plain}
        for name, part in documents:
            values[name] = _loaded(row[name], part)
        return class_(version=row["id"], **values)

    return load


def _loaded(stored: Any, part: Callable[..., Any] | None) -> Any:  # noqa: ANN401 (whatever JSON holds)
    if part is not None:
        return part(**stored) if stored else None
    return tuple(stored) if isinstance(stored, list) else stored


def _is_document(type_: Any) -> bool:  # noqa: ANN401 (a type annotation)
    return _is_part(type_) or get_origin(type_) in (tuple, Mapping)


def _is_part(type_: Any) -> bool:  # noqa: ANN401 (a type annotation)
    return is_dataclass(type_)


def column_type(field: Declared) -> type | None:
    """Return str, int or float for a plain column; None for one that holds JSON."""
    if _is_document(field.type):
        return None
    return str if get_origin(field.type) is Literal else cast("type", field.type)
