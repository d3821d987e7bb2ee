"""Find a SunSpec model in a device: after the "SunS" mark follows a chain of models, each with its number and length
(SunSpec Device Information Model Specification, section 6). Model 1 has maker and model as texts of 16 registers
(https://github.com/sunspec/models, json/model_1.json: Mn, Md)."""

from __future__ import annotations

from typing import NamedTuple

from collectors.errors import BadAnswer
from collectors.profiles import ModbusProfile
from collectors.protocols.modbus.client import ModbusClient, Refused

MARK = [0x5375, 0x6E53]
_END = 0xFFFF
_MOST_MODELS = 100
_COMMON = 1
_MAKER, _MODEL, _TEXT_WORDS = 2, 18, 16


class SunSpecPlace(NamedTuple):
    """Addresses of the model that a profile reads, and of the common model before it, if any."""

    model: int
    common: int | None


async def locate(client: ModbusClient, profile: ModbusProfile) -> SunSpecPlace | None:
    """Return where the model that a profile reads is; None if the device has none.

    Raises
    ------
    Unreachable, BadAnswer
    """
    for base in profile.sunspec:
        try:
            if await client.read("holding", base, 2) != MARK:
                continue
        except Refused:
            continue
        if (place := await _model(client, profile, base + 2)) is not None:
            return place
    return None


async def maker_and_model(client: ModbusClient, place: SunSpecPlace) -> tuple[str, str]:
    """Return the texts of the common model; '' where it has none.

    Raises
    ------
    Unreachable, BadAnswer
    """
    if place.common is None:
        return "", ""
    try:
        words = await client.read("holding", place.common + _MAKER, 2 * _TEXT_WORDS)
    except Refused:
        return "", ""
    return _text(words[:_TEXT_WORDS]), _text(words[_MODEL - _MAKER :])


async def _model(client: ModbusClient, profile: ModbusProfile, at: int) -> SunSpecPlace | None:
    common: int | None = None
    for _ in range(_MOST_MODELS):
        number, length = await client.read("holding", at, 2)
        if number == _END:
            return None
        if profile.identify.fits(number):
            return SunSpecPlace(at, common)
        if number == _COMMON and length >= _MODEL + _TEXT_WORDS - 2:
            common = at
        at += 2 + length
        if at > 65534:
            break
    raise BadAnswer("the chain of SunSpec models does not end", code="sunspec_chain")


def _text(words: list[int]) -> str:
    """Return a text padded with zeros: two letters a register; '' unless it is printable."""
    raw = b"".join(word.to_bytes(2, "big") for word in words).partition(b"\0")[0]
    text = raw.decode("utf-8", errors="replace").strip()
    return text if text.isprintable() and "\N{REPLACEMENT CHARACTER}" not in text else ""
