"""Notifications of a device family, and their translation to events.

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
"""Variable bindings of a notification: OID and value, in order."""

Severity = Literal["info", "warning", "error", "critical"]
UNNAMED = "trap"
_LONGEST_TEXT = 200


class State(Strict):
    """A varbind below `oid` with one of `values` (numbers, texts, OIDs and those below them; any value if empty).

    `index` names the parts of its index, `where` fixes some.
    """

    oid: Oid
    index: tuple[str, ...] = ()
    where: dict[str, int] = Field(default_factory=dict)
    values: tuple[int | str, ...] = ()


class Trap(Strict):
    """One notification, or one state of it. The first match is used.

    `also`: further required varbinds. `names`: varbinds whose number is part of the point. `told`: the varbind with
    the text of the device.
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
            raise ValueError(f"state.where: {unknown} is not part of the index {list(index)}")
        return self


@dataclass(frozen=True)
class Meaning:
    """Translation of a notification: kind, severity, point ('' if unknown) and text of the event."""

    kind: str
    severity: Severity
    point: str
    text: str


STANDARD = tuple(
    Trap(oid=f"1.3.6.1.6.3.1.1.5.{number}", kind=kind, severity=severity, text=text)
    for number, kind, severity, text in (
        (1, "device_started", "info", "the device started"),
        (2, "device_started", "info", "the agent of the device restarted"),
        (5, "authentication_failure", "warning", "a request to the device had a wrong community or user"),
    )
)
"""Notifications of RFC 3418, which every agent may send; link up and link down keep their OID."""


def meaning(oid: str, varbinds: Varbinds, lines: Iterable[Trap]) -> Meaning:
    """Translate a notification by the first match; without a match the event has its OID."""
    names = {oid, _without_zero(oid)}
    for line in (*lines, *STANDARD):
        if line.oid not in names:
            continue
        numbers = _numbers(line, varbinds)
        if numbers is None:
            continue
        point = render(line.point, numbers) if names_in(line.point) <= set(numbers) else ""
        detail = next((_text(value) for name, value in varbinds if line.told and below(name, line.told)), "")
        return Meaning(line.kind, line.severity, point, f"{line.text}: {detail}" if detail else line.text)
    shown = ", ".join(f"{name} = {_text(value)}" for name, value in varbinds)
    return Meaning(UNNAMED, "info", oid, f"notification {oid}" + (f": {shown}" if shown else ""))


def _without_zero(oid: str) -> str:
    """A v1 trap arrives as enterprise.0.number, also where its MIB defines enterprise.number, as RFC 1628 does."""
    enterprise, zero, number = oid.rpartition(".0.")
    return f"{enterprise}.{number}" if zero and number.isdigit() else oid


def _numbers(line: Trap, varbinds: Varbinds) -> dict[str, int | str] | None:
    """Return the numbers of the point; None if a required state is missing."""
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
    """Return the index parts of a varbind if it matches the state."""
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
    """Return whether a varbind has the wanted number, text, or OID (or one below it)."""
    if isinstance(value, str) and isinstance(wanted, str):
        return below(value, wanted)
    return (_decoded(value) if isinstance(value, bytes) else value) == wanted


def below(oid: str, root: str) -> bool:
    """Return whether an OID is the root or below it."""
    return oid == root or oid.startswith(f"{root}.")


def _text(value: Raw) -> str:
    """Format a value for display: one line, no control characters, limited length."""
    words = _decoded(value) if isinstance(value, bytes) else str(value)
    shown = "".join(c if c.isprintable() else " " for c in words).strip()
    return shown if len(shown) <= _LONGEST_TEXT else shown[: _LONGEST_TEXT - 1] + "…"


def _decoded(value: bytes) -> str:
    try:
        return value.rstrip(b"\0").decode()
    except UnicodeDecodeError:
        return value.hex(" ")
