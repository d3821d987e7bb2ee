"""The lines of a profile that name the notifications of a family, and what one of them says.

A MIB names a notification by its OID, and often says in a varbind beside it what happened: a state, with the place in
the index of its object. So a line may ask for a state, and takes the place from the index or from a varbind that holds
the number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, model_validator

from collectors.profiles.point_pattern import names_in, render
from collectors.profiles.points import Oid, Strict

Raw = int | str | bytes
Varbinds = Sequence[tuple[str, Raw]]
"""What a notification carries: OID and value, in order."""

Severity = Literal["info", "warning", "error", "critical"]
UNNAMED = "trap"
_LONGEST_TEXT = 200


class State(Strict):
    """A varbind below `oid` that reads one of `values` (numbers, words, OIDs and those below them; anything if none is
    named); `index` names the parts of its index, `where` fixes some."""

    oid: Oid
    index: tuple[str, ...] = ()
    where: dict[str, int] = Field(default_factory=dict)
    values: tuple[int | str, ...] = ()


class Trap(Strict):
    """One notification, or one state of it. Of the lines that fit, the first one counts.

    `also`: further varbinds that must read so. `names`: varbinds whose number names the place; `told`: the varbind with
    the device's own words.
    """

    oid: Oid
    kind: Annotated[str, Field(pattern=r"^[a-z][a-z_]*$")]
    severity: Severity = "info"
    text: str
    point: str = ""
    names: dict[str, Oid] = Field(default_factory=dict)
    state: State | None = None
    also: tuple[State, ...] = ()
    told: Oid | None = None

    @model_validator(mode="after")
    def _names_what_it_knows(self) -> Trap:
        index = self.state.index if self.state else ()
        if unknown := sorted(names_in(self.point) - set(index) - set(self.names)):
            raise ValueError(f"point: {unknown} is in no varbind; known: {sorted({*index, *self.names})}")
        if self.state and (unknown := sorted(set(self.state.where) - set(index))):
            raise ValueError(f"state.where: {unknown} is no part of the index {list(index)}")
        return self


@dataclass(frozen=True)
class Meaning:
    """What a notification says: an event's kind, severity, place ('' when it names none) and words."""

    kind: str
    severity: Severity
    point: str
    text: str


STANDARD = tuple(
    Trap(oid=f"1.3.6.1.6.3.1.1.5.{number}", kind=kind, severity=severity, text=text)
    for number, kind, severity, text in (
        (1, "device_started", "info", "the device started"),
        (2, "device_started", "info", "the device's agent started again"),
        (5, "authentication_failure", "warning", "somebody asked the device with a wrong community or user"),
    )
)
"""Those of RFC 3418, which every agent may send; links up and down are left with their OID."""


def meaning(oid: str, varbinds: Varbinds, lines: Iterable[Trap]) -> Meaning:
    """What a notification says by the first line that fits; one that no line names keeps its OID."""
    names = {oid, _without_zero(oid)}
    for line in (*lines, *STANDARD):
        if line.oid not in names:
            continue
        numbers = _numbers(line, varbinds)
        if numbers is None:
            continue
        point = render(line.point, numbers) if names_in(line.point) <= set(numbers) else ""
        told = next((_text(value) for name, value in varbinds if line.told and below(name, line.told)), "")
        return Meaning(line.kind, line.severity, point, f"{line.text}: {told}" if told else line.text)
    shown = ", ".join(f"{name} = {_text(value)}" for name, value in varbinds)
    return Meaning(UNNAMED, "info", oid, f"notification {oid}" + (f": {shown}" if shown else ""))


def _without_zero(oid: str) -> str:
    """A v1 trap arrives as enterprise.0.number, also where its MIB defines enterprise.number, as RFC 1628 does."""
    enterprise, zero, number = oid.rpartition(".0.")
    return f"{enterprise}.{number}" if zero and number.isdigit() else oid


def _numbers(line: Trap, varbinds: Varbinds) -> dict[str, int | str] | None:
    """The numbers that name the place; None when a state of the line is not there."""
    numbers: dict[str, int | str] = {}
    for state in (*([line.state] if line.state else []), *line.also):
        found = next((n for name, value in varbinds if (n := _index(state, name, value)) is not None), None)
        if found is None:
            return None
        numbers |= found
    for name, oid in line.names.items():
        value = next((value for other, value in varbinds if below(other, oid)), None)
        if isinstance(value, int):
            numbers[name] = value
    return numbers


def _index(state: State, oid: str, value: Raw) -> dict[str, int] | None:
    """The parts of the index of a varbind that is the state asked for."""
    if not below(oid, state.oid):
        return None
    if state.values and not any(_reads(value, wanted) for wanted in state.values):
        return None
    if not state.index:
        return {}
    parts = [int(part) for part in oid.removeprefix(state.oid).strip(".").split(".") if part]
    if len(parts) != len(state.index):
        return None
    numbers = dict(zip(state.index, parts, strict=True))
    return numbers if all(numbers[name] == wanted for name, wanted in state.where.items()) else None


def _reads(value: Raw, wanted: int | str) -> bool:
    """Whether a varbind reads what a line asks for: that number, those words, that OID or one below it."""
    if isinstance(value, str) and isinstance(wanted, str):
        return below(value, wanted)
    return (_decoded(value) if isinstance(value, bytes) else value) == wanted


def below(oid: str, root: str) -> bool:
    """Whether an OID is the root or stands below it."""
    return oid == root or oid.startswith(f"{root}.")


def _text(value: Raw) -> str:
    """A value for people: one line, no control characters, not too long."""
    words = _decoded(value) if isinstance(value, bytes) else str(value)
    shown = "".join(c if c.isprintable() else " " for c in words).strip()
    return shown if len(shown) <= _LONGEST_TEXT else shown[: _LONGEST_TEXT - 1] + "…"


def _decoded(value: bytes) -> str:
    try:
        return value.rstrip(b"\0").decode()
    except UnicodeDecodeError:
        return value.hex(" ")
