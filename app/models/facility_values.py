"""Values that a facility may contain: names, moments, addresses, ranges, references to secrets."""

from __future__ import annotations

import ipaddress
import re
import zoneinfo
from datetime import date
from functools import cache
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from app.domain.accounts import parse_budget
from app.domain.timeseries import moment_ms
from collectors.contract import NAME, PATH, Address, InvalidAddress, split_url

LONGEST_NAME = 200
_REFERENCE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]*|file:.+|secret:[A-Za-z0-9._-]+")
_OUTLETS = re.compile(r"(?P<type>[A-Za-z0-9][\w./-]{0,19}) (?P<first>[1-9]\d{0,3})(?:-(?P<last>[1-9]\d{0,3}))?")
_ENGINE_ID = re.compile(r"(?:[0-9A-Fa-f]{2}){5,32}")


def wrong(what: str, suggested_fix: str) -> PydanticCustomError:
    """Return a validation error with our own text."""
    return PydanticCustomError("wattline", "{what}; {suggested_fix}", {"what": what, "suggested_fix": suggested_fix})


def _name(text: str) -> str:
    if NAME.match(text) and len(text) > LONGEST_NAME:
        raise wrong(f"a name of {len(text)} characters", f"use {LONGEST_NAME} at most")
    if not NAME.fullmatch(text):
        raise wrong("not a name", "use letters, digits, . _ and -, beginning with a letter or digit")
    return text


@cache
def _zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


def _zone(text: str) -> str:
    if text not in _zones():
        raise wrong("unknown time zone", "use an IANA name like Europe/Berlin or UTC")
    return text


def _reference(text: str) -> str:
    if not _REFERENCE.fullmatch(text):
        raise wrong("a secret must not be written here", "refer to it: env:NAME (environment variable) or file:PATH")
    return text


def _address(text: str) -> str:
    try:
        Address.parse(text)
    except InvalidAddress as error:
        raise wrong(error.problem, error.hint) from None
    return text


def _url(text: str, schemes: tuple[str, ...]) -> str:
    try:
        split_url(text, schemes)
    except InvalidAddress as error:
        raise wrong(error.problem, error.hint) from None
    return text


def _web(text: str) -> str:
    return _url(text, ("http", "https"))


def _bmc(text: str) -> str:
    return _address(_url(text, ("http", "https", "redfish", "ipmi")))


def _engine_id(text: str) -> str:
    if not _ENGINE_ID.fullmatch(text):
        raise wrong("not an engine id", "write its 5 to 32 octets in hexadecimal digits, like 80001f8803001122334455")
    return text


def _feed(text: str) -> str:
    device, _, point = text.partition("/")
    if ":" in point:
        raise wrong("names a quantity", f"name the point alone: {text.partition(':')[0]}")
    if not NAME.fullmatch(device) or not PATH.fullmatch(point):
        raise wrong("not a point", "write device/point, like pdu-r07-a/outlet/12")
    return text


def _point(text: str) -> str:
    if not PATH.fullmatch(text):
        raise wrong("not a point", "write it like outlet/12")
    return text


def _moment(text: str) -> str:
    try:
        moment_ms(text)
    except ValueError:
        raise wrong("not a time with a time zone", "write it like 2026-03-01T08:00:00Z") from None
    return text


Name = Annotated[str, AfterValidator(_name)]
Label = Annotated[str | None, StringConstraints(max_length=200)]
Watts = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]
Amperes = Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)]
Volts = Annotated[float, Field(gt=0, le=50_000, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Units = Annotated[int, Field(ge=1, le=100)]
Secret = Annotated[str, AfterValidator(_reference)]


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise wrong("not a date", "write it like 2024-03-01") from None


def _outlets(text: str) -> str:
    found = _OUTLETS.fullmatch(text)
    if not found or (found["last"] and int(found["last"]) < int(found["first"])):
        raise wrong("not a type with the numbers of outlets", "write it like C19 25-30, or C13 7")
    return text


def _bound_collector(text: str) -> str:
    name, _, network = text.partition(" ")
    _name(name)
    try:
        if network or text != name:
            ipaddress.ip_network(network)
    except ValueError:
        raise wrong("not a collector with a network", "write it like west-1, or west-1 10.20.0.0/16") from None
    return text


def _energy_budget(text: str) -> str:
    if parse_budget(text) is None:
        raise wrong("not a project with an energy by month", "write it like llm 5000 kWh, or llm 5 MWh")
    return text


Day = Annotated[str, AfterValidator(_day)]
BudgetText = Annotated[str, AfterValidator(_energy_budget)]
BoundCollector = Annotated[str, AfterValidator(_bound_collector)]
Outlets = Annotated[str, AfterValidator(_outlets)]
OutletType = Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w./-]{0,19}$")]
Percent = Annotated[float, Field(ge=0, lt=100, allow_inf_nan=False)]
Feed = Annotated[str, AfterValidator(_feed)]
Point = Annotated[str, AfterValidator(_point)]
Moment = Annotated[str, AfterValidator(_moment)]
Zone = Annotated[str, AfterValidator(_zone)]
DeviceAddress = Annotated[str, AfterValidator(_address)]
WebAddress = Annotated[str, AfterValidator(_web)]
BmcAddress = Annotated[str, AfterValidator(_bmc)]
EngineId = Annotated[str, AfterValidator(_engine_id)]
Kind = Literal["pdu", "meter", "exporter", "bmc", "ups", "sensor"]
