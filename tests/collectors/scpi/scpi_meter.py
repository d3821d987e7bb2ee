"""A power meter at a TCP socket that speaks the NUMERIC commands of a Yokogawa WT300."""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Meter:
    """`items` are what it puts out, `readings` what each of them reads, as the meter writes it; an item it does not
    know reads NAN. What it is told and asked is kept in `heard`."""

    readings: dict[str, str]
    items: list[str] = field(default_factory=lambda: ["U,1", "I,1", "P,1"])
    idn: str = "YOKOGAWA,WT310E,C3SD03002E,F1.03"
    rate: str = "100.0E-03"
    count: int = 0
    header: bool = False
    settings: dict[str, str] = field(
        default_factory=lambda: {
            ":INPUT:VOLTAGE:AUTO?": "0",
            ":INPUT:CURRENT:AUTO?": "0",
            ":INPUT:SCALING:STATE?": "0",
            ":INPUT:CFACTOR?": "3",
            ":INPUT:VOLTAGE:RANGE?": "300.0E+00",
            ":INPUT:CURRENT:RANGE?": "5.0E+00",
        }
    )
    silent: bool = False
    heard: list[str] = field(default_factory=list)
    connections: int = 0
    writers: list[asyncio.StreamWriter] = field(default_factory=list)
    port: int = 0

    def answer(self, line: str) -> str | None:
        self.heard.append(line)
        if line == "*IDN?":
            return self.idn
        if line in self.settings:
            return self._headed(line.rstrip("?"), self.settings[line])
        if line == ":RATE?":
            return self.rate and self._headed(":RATE", self.rate)
        if line == ":NUMERIC:NORMAL:NUMBER?":
            return self._headed(":NUMERIC:NORMAL:NUMBER", str(self.count or len(self.items)))
        if found := re.fullmatch(r":NUMERIC:NORMAL:ITEM(\d+)\?", line):
            n = int(found[1])
            return self._headed(f":NUMERIC:NORMAL:ITEM{n}", self.items[n - 1] if n <= len(self.items) else "NONE")
        if found := re.fullmatch(r":NUMERIC:NORMAL:ITEM(\d+) (.+)", line):
            self.items += ["NONE"] * (int(found[1]) - len(self.items))
            self.items[int(found[1]) - 1] = found[2]
        elif found := re.fullmatch(r":NUMERIC:NORMAL:NUMBER (\d+)", line):
            self.items = self.items[: int(found[1])]
        elif line == ":NUMERIC:NORMAL:VALUE?":
            return ",".join(self.readings.get(item, "NAN") for item in self.items)
        elif line == ":COMMUNICATE:HEADER OFF":
            self.header = False
        elif line in self.readings:
            return self.readings[line]
        return None

    def _headed(self, header: str, text: str) -> str:
        return f"{header} {text}" if self.header else text

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.append(writer)
        try:
            while line := await reader.readline():
                answer = self.answer(line.decode().strip())
                if answer is not None and not self.silent:
                    writer.write(f"{answer}\n".encode())
                    await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    def hang_up(self) -> None:
        """Drop every connection, as a meter that is switched off."""
        for writer in self.writers:
            writer.transport.abort()


@asynccontextmanager
async def serving(meter: Meter):
    """The meter on an ephemeral port; yields its address."""
    server = await asyncio.start_server(meter.handle, "127.0.0.1", 0)
    meter.port = server.sockets[0].getsockname()[1]
    try:
        yield f"scpi://127.0.0.1:{meter.port}"
    finally:
        server.close()
