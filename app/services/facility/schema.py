"""What may be written about a facility: the keys of each kind, their types and ranges.

The facility file and the API read objects through these models, so both have the same keys and the same checks. All
but the keys of an auth follow from the fields declared in `app.models.facility`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, create_model, model_validator

from app.models import OBJECTS, EngineId, Entry, Label, Moment, Name, Point, Secret, entry_of, wrong

SITED = frozenset({"room", "rack", "device", "node", "supply"})
"""Kinds whose objects belong to a site."""
TABLES = {
    "site": "site",
    "room": "rooms",
    "rack": "racks",
    "model": "models",
    "device": "devices",
    "node": "nodes",
    "supply": "supplies",
    "auth": "auth",
}
"""Kind of object → its table in the facility file, in the order in which they refer to each other."""


class FacilityEntry(Entry):
    """The keys that all objects have."""

    label: Label = Field(default=None, description="free text for people")


class AuthEntry(FacilityEntry):
    """How to sign in at devices: references to secrets, never the secrets."""

    snmp: Literal["1", "2c", "3"] | None = Field(default=None, description='SNMP version in quotes: "1", "2c" or "3"')
    community: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    user: str | None = Field(default=None, min_length=1, description="user name of SNMPv3 or of a web interface")
    auth: Literal["sha1", "sha224", "sha256", "sha384", "sha512", "md5"] | None = Field(
        default=None, description="authentication protocol of SNMPv3"
    )
    auth_password: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    priv: Literal["aes128", "aes192", "aes256", "aes192c", "aes256c", "des"] | None = Field(
        default=None, description="privacy protocol of SNMPv3"
    )
    priv_password: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    allow_weak: bool | None = Field(default=None, description="true allows MD5 and DES")
    context: str | None = Field(default=None, min_length=1, max_length=255, description="name of the SNMPv3 context")
    context_engine: EngineId | None = Field(
        default=None, description='engine id of the context, in hexadecimal digits: "80001f8803001122334455"'
    )
    password: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    token: Secret | None = Field(default=None, description="env:NAME or file:PATH")
    ca: str | None = Field(default=None, min_length=1, description="path of the CA file of a web interface")
    insecure: bool | None = Field(
        default=None,
        description="true: the certificate of a web interface is not verified; any host can impersonate it",
    )
    sign_in: Literal["session", "basic"] | None = Field(
        default=None, description='sign-in at a Redfish service: "session" (the default) or "basic"'
    )

    @model_validator(mode="after")
    def _complete(self) -> AuthEntry:
        if self.snmp in ("1", "2c") and self.community is None:
            raise wrong(f"SNMP {self.snmp} without community", 'add community = "env:NAME"')
        if self.snmp == "3" and self.user is None:
            raise wrong("SNMPv3 without user", 'add user = "NAME"')
        if self.snmp != "3" and (self.context or self.context_engine):
            raise wrong("a context without SNMPv3", 'add snmp = "3" and user; v1 and v2c have communities instead')
        for kind in ("auth", "priv"):
            given = [name for name in (kind, f"{kind}_password") if getattr(self, name) is not None]
            if len(given) == 1:
                missing = f"{kind}_password" if given == [kind] else kind
                raise wrong(f"{given[0]} without {missing}", f"add {missing}")
        if self.insecure and self.ca:
            raise wrong("a CA and insecure", "keep one of ca and insecure")
        if self.priv and not self.auth:
            raise wrong("encryption without authentication", "add auth and auth_password")
        weak = [kind for kind in (self.auth, self.priv) if kind in ("md5", "des")]
        if weak and not self.allow_weak:
            raise wrong(f"{' and '.join(weak)} can be broken", "choose another, or write allow_weak = true beside it")
        return self


class CordRow(Entry):
    """One line of the cords table."""

    node: Name = Field(min_length=1, description="key of the node it powers")
    device: Name = Field(min_length=1, description="key of the device it is plugged into")
    point: Point = Field(min_length=1, description="where, like outlet/12")
    valid_from: Moment | None = Field(default=None, description="when it was plugged in, like 2026-03-01T08:00:00Z")


def _body(kind: str, entry: type[Entry]) -> type[Entry]:
    """Return what a request may say: the key and the site beside what a file says inside a table."""
    keys: dict[str, Any] = {"key": (Name, Field(description="short name, unique and permanent"))}
    if kind in SITED:
        description = "key of the site; may be left out where there is only one"
        keys["site"] = (Name | None, Field(default=None, description=description))
    return create_model(kind.capitalize(), __base__=entry, __doc__=entry.__doc__, **keys)


def _by_name(entry: type[Entry]) -> Any:  # noqa: ANN401 (a type annotation)
    return dict[Name, entry]  # type: ignore[valid-type]


def _file(entries: Mapping[str, type[Entry]]) -> type[Entry]:
    """Return what a whole facility file may say."""
    site = create_model("FileSite", __base__=entries["site"], key=(Name, Field(description="short name of the site")))
    cords = Annotated[str, Field(min_length=1)] | None
    keys: dict[str, Any] = {
        "cords": (cords, Field(default=None, description="name of a CSV file beside this one")),
        "site": (
            site | None,
            Field(default=None, description='[site] with key = "…" names the site of everything in the file'),
        ),
    }
    for kind, table in TABLES.items():
        if kind != "site":
            description = f"tables are written [{table}.KEY]"
            keys[table] = (_by_name(entries[kind]), Field(default_factory=dict, description=description))
    return create_model("FacilityFile", __base__=Entry, __doc__="The whole file.", **keys)


ENTRIES: dict[str, type[Entry]] = {
    kind: AuthEntry if kind == "auth" else entry_of(class_, f"{kind.capitalize()}Entry", FacilityEntry)
    for kind, class_ in OBJECTS.items()
}
"""Kind of object → what may be written about it."""

BODIES: dict[str, type[Entry]] = {kind: _body(kind, entry) for kind, entry in ENTRIES.items()}
"""Kind of object → what a request may say about it."""

FacilityFile: type[Entry] = _file(ENTRIES)
"""The whole file."""
