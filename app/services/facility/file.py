"""Read the facility file: TOML, with an optional CSV of cords beside it.

Reading never stops at an error: a plan holds what could be read and all errors with their lines. What depends on the
rest of the facility (an unknown rack, an outlet in use) is checked by `apply`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from app.errors import NotFound
from app.services.facility.checks import made_names
from app.services.facility.cord_checks import Ref
from app.services.facility.cords import CordEntry, read_cords, repeated
from app.services.facility.objects import KINDS, build
from app.services.facility.schema import ENTRIES, TABLES, FacilityFile
from app.services.facility.toml import TomlDocument, read_toml
from app.services.facility.validation_errors import LocatedError, ValidationFinding, as_written, explain, shown
from app.store.facility import Auth, Device, FacilityObject, Node, Rack
from collectors.contract import Address

ReadBeside = Callable[[str], str]
"""The text of a file beside the facility file, by name; raises OSError."""

_KEYED_KINDS = tuple(kind for kind in TABLES if kind != "site")


@dataclass(frozen=True)
class FacilityPlan:
    """The content of a facility file.

    Attributes
    ----------
    site: key of the site that everything belongs to; None if the file has none.
    objects: all objects that could be read, in the order in which they refer to each other.
    rooms: rooms that racks name but the file does not declare; naming them creates them.
    broken: objects that are written but are invalid.
    mistakes: errors within the file.
    """

    file: str
    site: str | None = None
    objects: tuple[FacilityObject, ...] = ()
    rooms: frozenset[str] = frozenset()
    broken: frozenset[Ref] = frozenset()
    mistakes: tuple[LocatedError, ...] = ()
    cords: tuple[CordEntry, ...] = ()
    document: TomlDocument = field(default_factory=TomlDocument)

    @cached_property
    def _cord_of(self) -> dict[tuple[str | int, ...], CordEntry]:
        return {("nodes", cord.node, "feeds", shown((), cord.feed)): cord for cord in reversed(self.cords)}

    @property
    def secret_references(self) -> frozenset[tuple[str, str]]:
        """References to secrets, each with the host of a device that it is for."""
        auths = {thing.key: thing.settings for thing in self.objects if isinstance(thing, Auth)}
        return frozenset(
            (str(value), Address.parse(device.address).host.lower())
            for device in self.objects
            if isinstance(device, Device) and device.address and device.auth in auths
            for value in auths[device.auth].values()
        )

    def place(self, finding: ValidationFinding) -> LocatedError:
        """Locate an error: the line of the cord, of the key, or of the table around it."""
        cord = self._cord_of.get((*finding.path, finding.value))
        if cord is not None:
            return LocatedError(cord.file, cord.line, finding)
        return LocatedError(self.file, self.document.line(finding.path), finding)


def load(path: Path) -> FacilityPlan:
    """Read a facility file and the cords beside it.

    Raises
    ------
    NotFound
        There is no such file, or it cannot be read.
    """
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise NotFound(f"{path}: {error.strerror}", "give the path of a facility file", code="no_such_file") from error
    except UnicodeDecodeError as error:
        raise NotFound(f"{path}: not UTF-8 text", "save it as UTF-8", code="no_such_file") from error
    return parse(text, str(path), lambda name: (path.parent / name).read_text("utf-8-sig"))


def parse(text: str, file: str, beside: ReadBeside | None = None) -> FacilityPlan:
    """Read the text of a facility file. `file` is its name in errors; `beside` is None if no other file can be read."""
    document = read_toml(text)
    placed = [_torn(file, document, i) for i in range(len(document.mistakes))]
    torn = {mistake.path for mistake in document.mistakes}
    findings = [finding for finding in _explained(document) if finding.path not in torn]
    for repeat in document.repeats:
        placed += [LocatedError(file, repeat.line(finding.path), finding) for finding in _explained(repeat)]
    placed += [LocatedError(file, document.line(finding.path), finding) for finding in findings]
    reading = _Reading(file, document, findings, beside)
    plan = reading.plan()
    return replace(plan, mistakes=(*placed, *reading.mistakes))


def _torn(file: str, document: TomlDocument, index: int) -> LocatedError:
    mistake = document.mistakes[index]
    wrong, _, suggested_fix = mistake.wrong.partition("; ")
    if mistake.path:
        finding = ValidationFinding(mistake.path, as_written(mistake.path, mistake.text), wrong, suggested_fix)
    else:
        finding = ValidationFinding((as_written((), mistake.text),) if mistake.text else (), "", wrong, suggested_fix)
    return LocatedError(file, mistake.line, finding)


def _explained(document: TomlDocument) -> list[ValidationFinding]:
    try:
        FacilityFile.model_validate(document.data)
    except ValidationError as error:
        return explain(error, FacilityFile)
    return []


class _Reading:
    """Builds the objects of one document without their invalid parts."""

    def __init__(
        self, file: str, document: TomlDocument, findings: list[ValidationFinding], beside: ReadBeside | None
    ) -> None:
        self._file = file
        self._document = document
        self._wrong = [finding.path for finding in findings]
        self._beside = beside
        self._broken: set[Ref] = {
            (kind, str(mistake.path[1]))
            for mistake in document.mistakes
            for kind, table in TABLES.items()
            if mistake.path[:1] == (table,) and len(mistake.path) > 1
        }
        self.mistakes: list[LocatedError] = []

    def plan(self) -> FacilityPlan:
        site = self._site()
        key = site.key if site else None
        objects: list[FacilityObject] = [site] if site else []
        for kind in _KEYED_KINDS:
            objects += self._objects(kind, key)
        cords = self._cords([thing for thing in objects if isinstance(thing, Node)])
        objects = _with_cords(objects, cords)
        plan = FacilityPlan(
            self._file, key, tuple(objects), self._rooms(objects), frozenset(self._broken), (), cords, self._document
        )
        self.mistakes += [plan.place(finding) for finding in _made_twice(objects)]
        return plan

    def _table(self, name: str) -> Mapping[str, object]:
        table = self._document.data.get(name)
        return table if isinstance(table, dict) else {}

    def _site(self) -> FacilityObject | None:
        written = self._sound(self._table("site"), ("site",))
        key = written.pop("key", None)
        if not isinstance(key, str):
            return None
        return build("site", key, ENTRIES["site"].model_validate(written), None)

    def _objects(self, kind: str, site: str | None) -> Iterator[FacilityObject]:
        for key, body in self._table(TABLES[kind]).items():
            path = (TABLES[kind], key)
            if path in self._wrong or not isinstance(body, dict):
                self._broken.add((kind, key))
                continue
            try:
                entry = ENTRIES[kind].model_validate(self._sound(body, path))
            except ValidationError:
                self._broken.add((kind, key))
                continue
            yield build(kind, key, entry, site)

    def _sound(self, body: Mapping[str, object], path: tuple[str, ...]) -> dict[str, object]:
        """Return the valid fields of a body; of a list, the valid items."""
        inside = [wrong[len(path) :] for wrong in self._wrong if wrong[: len(path)] == path]
        sound: dict[str, object] = {}
        for name, value in body.items():
            at = [wrong for wrong in inside if wrong[:1] == (name,)]
            items = {wrong[1] for wrong in at if len(wrong) == 2}
            if isinstance(value, list) and len(items) == len(at):
                sound[name] = [item for i, item in enumerate(value) if i not in items]
            elif not at:
                sound[name] = value
        return sound

    def _cords(self, nodes: list[Node]) -> tuple[CordEntry, ...]:
        cords = list(self._written_feeds())
        name = self._document.data.get("cords")
        if isinstance(name, str) and name:
            known = {node.key for node in nodes} | {key for kind, key in self._broken if kind == "node"}
            cords += self._table_of_cords(name, known)
        self.mistakes += repeated(cords)
        return tuple(cords)

    def _table_of_cords(self, name: str, nodes: set[str]) -> list[CordEntry]:
        path = ("cords",)
        if self._beside is None:
            wrong, suggested_fix = "a request cannot include another file", "write the cords as feeds of the nodes"
        else:
            try:
                table = read_cords(self._beside(name), str(Path(self._file).parent / name), nodes)
            except (OSError, UnicodeDecodeError) as error:
                wrong = f"cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8 text'}"
                suggested_fix = "put it beside the facility file"
            else:
                self.mistakes += table.mistakes
                return table.cords
        self.mistakes.append(
            LocatedError(
                self._file, self._document.line(path), ValidationFinding(path, shown(path, name), wrong, suggested_fix)
            )
        )
        return []

    def _written_feeds(self) -> Iterator[CordEntry]:
        for key, body in self._table("nodes").items():
            feeds = body.get("feeds") if isinstance(body, dict) else None
            for i, feed in enumerate(feeds if isinstance(feeds, list) else ()):
                path = ("nodes", key, "feeds", i)
                if path not in self._wrong:
                    yield CordEntry(key, str(feed), self._file, self._document.line(path))

    def _rooms(self, objects: list[FacilityObject]) -> frozenset[str]:
        if "rooms" in self._document.data:
            return frozenset()
        return frozenset(thing.room for thing in objects if isinstance(thing, Rack) and thing.room)


def _with_cords(objects: list[FacilityObject], cords: tuple[CordEntry, ...]) -> list[FacilityObject]:
    feeds: dict[str, set[str]] = {}
    for cord in cords:
        feeds.setdefault(cord.node, set()).add(cord.feed)
    return [
        replace(thing, feeds=tuple(sorted(feeds.get(thing.key, ())))) if isinstance(thing, Node) else thing
        for thing in objects
    ]


def _made_twice(objects: list[FacilityObject]) -> Iterator[ValidationFinding]:
    declared = {thing.key for thing in objects if isinstance(thing, Device)}
    for thing in objects:
        if isinstance(thing, Node):
            yield from made_names(thing, declared)


def written(plan: FacilityPlan) -> frozenset[Ref]:
    """Return kind and key of all objects in the plan's file."""
    return frozenset((KINDS[type(thing)], thing.key) for thing in plan.objects)
