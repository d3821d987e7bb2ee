"""SNMPv3 requests to one agent, every answer checked: who it is of, its signature, its time, its context.

What comes and is no answer to what was asked is passed over, so that nobody without the keys can end a question.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from collectors.contract import Address
from collectors.errors import AccessDenied, BadAnswer, DeviceError, Unreachable
from collectors.protocols.snmp import ber
from collectors.protocols.snmp.auth import Usm
from collectors.protocols.snmp.ber import Oid, Raw
from collectors.protocols.snmp.client import ATTEMPTS, MOST_ROWS, SILENT, SnmpClient
from collectors.protocols.snmp.usm import Message, Untrusted, UsmSession

_USM_STATS = "1.3.6.1.6.3.15.1.1"  # RFC 3414
_NOT_IN_TIME, _UNKNOWN_ENGINE, _UNDECRYPTED = f"{_USM_STATS}.2.0", f"{_USM_STATS}.4.0", f"{_USM_STATS}.6.0"
_REFUSALS = {
    f"{_USM_STATS}.1.0": ("the user may not sign or encrypt this way", "check auth.auth and auth.priv"),
    f"{_USM_STATS}.3.0": ("it has no such user", "check auth.user"),
    f"{_USM_STATS}.5.0": ("our signature is wrong for it", "check auth.auth_password and auth.auth"),
    _UNDECRYPTED: ("it cannot decrypt what we ask", "check auth.priv_password and auth.priv"),
    "1.3.6.1.6.3.12.1.4.0": ("the context is not available now", "check the module that auth.context names"),
    "1.3.6.1.6.3.12.1.5.0": ("it has no such context", "check auth.context"),
    "1.3.6.1.6.3.11.2.1.3.0": ("nothing there answers for this engine and context", "check auth.context_engine"),
}
"""What an agent reports (RFC 3414 5, RFC 3413 4.1.2, RFC 3412 5), in our words, and the way out."""
_MUTE = "it says who it is and no more: check auth.priv_password, auth.priv and auth.context"
"""Net-SNMP says nothing about what it cannot decrypt, and nothing of contexts it does not have."""
_TOO_BIG, _AUTHORIZATION = 1, 16
_ROUNDS = 4  # of one question: who are you, the wrong time, and both again after a swap
_ENGINE_OCTETS = range(5, 33)
_NUMBERS = 2**31


@dataclass(frozen=True)
class _Answer:
    """What was answered: error status, and OID, tag and value of each object; or a report, about its first object."""

    message: Message
    request_id: int
    status: int
    found: list[tuple[Oid, int, Raw]]

    @property
    def report(self) -> Oid | None:
        """What it reports; None where it answers."""
        if self.message.tag != ber.REPORT:
            return None
        return self.found[0][0] if self.found else ""

    @staticmethod
    def read(message: Message) -> _Answer:
        pdu = message.pdu
        request_id, at = ber.number(pdu, 0, len(pdu))
        status, at = ber.number(pdu, at, len(pdu))
        _, at = ber.number(pdu, at, len(pdu))
        return _Answer(message, request_id, status, list(ber.varbinds(pdu, at, len(pdu))))


class UserClient(SnmpClient):
    """See `SnmpClient`."""

    def __init__(self, address: Address, way: Usm, timeout_s: float, max_packets_s: float) -> None:
        self._address = address
        self._way = way
        self._timeout_s = timeout_s
        self._pause_s = 1.0 / max_packets_s
        self._channel = UsmSession(way)
        self._socket: _Socket | None = None
        self._next_s = 0.0
        self._answered = False

    async def open(self) -> None:
        """Make the socket and learn who answers.

        Raises
        ------
        Unreachable, AccessDenied, BadAnswer
        """
        await self.close()
        host, port = self._address.host, self._address.port
        try:
            _, self._socket = await asyncio.get_running_loop().create_datagram_endpoint(
                _Socket, remote_addr=(host, port)
            )
        except OSError as error:
            raise Unreachable(f"{host} has no address ({error.strerror})", "check the name", "no_such_host") from None
        try:
            await self._discover()
        except DeviceError:
            await self.close()
            raise

    async def close(self) -> None:
        """Drop the socket; the engine is unknown again."""
        opened, self._socket = self._socket, None
        self._channel.forget()
        if opened is not None:
            await opened.close()

    async def _get_packet(self, oids: Sequence[Oid]) -> dict[Oid, Raw]:
        """One GET; in halves where the agent cannot answer it as a whole."""
        answer = await self._ask(ber.GET, oids)
        if not answer.status:
            asked = frozenset(oids)
            return {oid: value for oid, tag, value in answer.found if tag not in ber.ABSENT and oid in asked}
        if len(oids) == 1:
            return {}
        half = len(oids) // 2
        return {**await self._get_packet(oids[:half]), **await self._get_packet(oids[half:])}

    async def next(self, oid: Oid) -> Oid:
        """The first object behind an OID; empty when there is none."""
        answer = await self._ask(ber.GET_NEXT, [oid])
        return next((name for name, tag, _ in answer.found if not answer.status and tag not in ber.ABSENT), "")

    async def walk(self, column: Oid, repetitions: int) -> dict[str, Raw]:
        """The cells of a column by index (`1.24`): everything below an OID, in order."""
        found: dict[str, Raw] = {}
        last = column
        while True:
            answer = await self._ask(ber.GET_BULK, [last], 0, repetitions)
            if answer.status == _TOO_BIG and repetitions > 1:
                repetitions //= 2
                continue
            if answer.status or not answer.found:
                return found
            for last, tag, value in answer.found:
                index = last.removeprefix(f"{column}.")
                if index == last or index in found or tag in ber.ABSENT:
                    return found
                if len(found) >= MOST_ROWS:
                    raise BadAnswer(f"{self._address.url} has no end below {column}", code="endless_walk")
                found[index] = value

    async def _ask(self, kind: int, oids: Sequence[Oid], second: int = 0, third: int = 0) -> _Answer:
        """A question and its answer; who answers and what time it is there are learned again where they changed."""
        request_id, url = secrets.randbelow(_NUMBERS), self._address.url
        pdu = ber.encoded_pdu(kind, request_id, second, third, oids)
        for _ in range(_ROUNDS):
            if not self._channel.engine_id:
                await self._discover()
            answer = await self._exchange(pdu, request_id)
            report = answer.report
            self._answered = True
            if report is None:
                if answer.status == _AUTHORIZATION:
                    raise AccessDenied(f"{url} refuses us: the user may not read here", "check the user's view there")
                return answer
            if answer.message.engine_id != self._channel.engine_id:  # swapped: it may refuse what its predecessor took
                self._channel.forget()
                continue
            if report in _REFUSALS:
                why, way_out = _REFUSALS[report]
                other = self._way.other_key if report == _UNDECRYPTED else ""
                raise AccessDenied(f"{url} refuses us: {why}", way_out + other)
            if report not in (_NOT_IN_TIME, _UNKNOWN_ENGINE):
                raise BadAnswer(f"{url} reports {report or 'nothing'} instead of an answer")
            if report == _UNKNOWN_ENGINE or answer.message.level == 1:
                self._channel.forget()
        raise AccessDenied(f"{url} refuses us: it does not keep to one engine and time", "restart its SNMP service")

    async def _discover(self) -> None:
        """Ask who answers: the report that must come has engine, boots and time (RFC 3414 4)."""
        request_id = secrets.randbelow(_NUMBERS)
        told = (await self._exchange(ber.encoded_pdu(ber.GET, request_id, 0, 0, []), request_id)).message
        if told.tag != ber.REPORT or len(told.engine_id) not in _ENGINE_OCTETS:
            raise BadAnswer(f"{self._address.url} does not say which engine it is", "check that it speaks SNMPv3")
        self._answered = False
        self._channel.meet(told.engine_id, told.boots, told.time_s)

    async def _exchange(self, pdu: bytes, request_id: int) -> _Answer:
        """Send a question until its answer comes, or a report about it."""
        url, opened = self._address.url, self._socket
        if opened is None:
            raise Unreachable(f"{url} is not open", code="not_open")
        opened.clear()
        asked: set[int] = set()
        doubt: Untrusted | None = None
        for _ in range(ATTEMPTS):
            await self._wait_turn()
            message_id = secrets.randbelow(_NUMBERS)
            asked.add(message_id)
            opened.send(self._channel.request(message_id, pdu))
            until_s = time.monotonic() + self._timeout_s / ATTEMPTS
            while (left_s := until_s - time.monotonic()) > 0:
                try:
                    message = self._channel.read(await opened.receive(left_s))
                    if message.message_id in asked and self._fits(message, answer := _Answer.read(message), request_id):
                        return answer
                except TimeoutError:
                    break
                except ber.Malformed as error:
                    doubt = Untrusted("bad_answer", f"it cannot be decoded: {error}", "")
                except Untrusted as error:
                    doubt = error
                except OSError as error:
                    raise Unreachable(f"could not read {url}: {error}", code="network_error") from None
        if doubt is not None:
            raise BadAnswer(f"{url} answers, but {doubt}", doubt.way_out, doubt.code)
        hint = _MUTE + self._way.other_key if self._channel.engine_id and not self._answered else SILENT
        raise Unreachable(f"{url} did not answer within {self._timeout_s:g} s", hint)

    def _fits(self, message: Message, answer: _Answer, request_id: int) -> bool:
        """Whether it is a report, or the answer of whom we asked, as protected as the question."""
        engine_id = self._channel.engine_id
        about = (self._way.context_engine or engine_id, self._way.context.encode())
        return message.tag == ber.REPORT or (
            message.tag == ber.RESPONSE
            and message.level == self._way.level
            and message.engine_id == engine_id
            and (message.context_engine, message.context) == about
            and answer.request_id == request_id
        )

    async def _wait_turn(self) -> None:
        """Not more packets a second than the profile allows."""
        now_s = time.monotonic()
        wait_s = self._next_s - now_s
        self._next_s = max(self._next_s, now_s) + self._pause_s
        if wait_s > 0:
            await asyncio.sleep(wait_s)


class _Socket(asyncio.DatagramProtocol):
    """A UDP socket that hears one address."""

    def __init__(self) -> None:
        self._heard: asyncio.Queue[bytes | OSError] = asyncio.Queue(maxsize=64)
        self._gone = asyncio.Event()
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)  # asyncio's own is none by class in 3.11

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone.set()

    def datagram_received(self, data: bytes, addr: Any) -> None:  # noqa: ANN401 -- as asyncio has it
        self._put(data)

    def error_received(self, exc: Exception) -> None:
        if isinstance(exc, OSError):
            self._put(exc)

    def _put(self, what: bytes | OSError) -> None:
        if not self._heard.full():
            self._heard.put_nowait(what)

    def clear(self) -> None:
        """Forget what came: nobody waits for it any more."""
        while not self._heard.empty():
            self._heard.get_nowait()

    def send(self, data: bytes) -> None:
        """Send a datagram."""
        if self._transport is not None:
            self._transport.sendto(data)

    async def receive(self, timeout_s: float) -> bytes:
        """The next datagram.

        Raises
        ------
        TimeoutError
        OSError
            Nobody listens there, or there is no way there.
        """
        async with asyncio.timeout(timeout_s):
            heard = await self._heard.get()
        if isinstance(heard, OSError):
            raise heard
        return heard

    async def close(self) -> None:
        """Close the socket and wait until it is."""
        if self._transport is not None:
            self._transport.close()
            await self._gone.wait()
