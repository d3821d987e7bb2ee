"""Find a SunSpec model in a device: after the "SunS" mark follows a chain of models, each with its number and length
(SunSpec Device Information Model Specification, section 6)."""

from __future__ import annotations

from collectors.errors import BadAnswer
from collectors.profiles import ModbusProfile
from collectors.protocols.modbus.client import ModbusClient, Refused

MARK = [0x5375, 0x6E53]
_END = 0xFFFF
_MOST_MODELS = 100


async def locate(client: ModbusClient, profile: ModbusProfile) -> int | None:
    """Return the address of the first register of the model that a profile reads; None if the device has none.

    Raises
    ------
    Unreachable, BadAnswer
    """
    for base in profile.sunspec:
        try:
            if await client.read("holding", base, 2) == MARK:
                return await _model(client, profile, base + 2)
        except Refused:
            continue
    return None


async def _model(client: ModbusClient, profile: ModbusProfile, at: int) -> int | None:
    for _ in range(_MOST_MODELS):
        number, length = await client.read("holding", at, 2)
        if number == _END:
            return None
        if profile.identify.fits(number):
            return at
        at += 2 + length
        if at > 65534:
            break
    raise BadAnswer("the chain of SunSpec models does not end", code="sunspec_chain")
