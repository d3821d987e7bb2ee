"""SNMPv3 requests to one agent; engine, signature, time and context of every response are checked.

Some reports cannot be signed (RFC 3414 3.2), so any host can send them. Those about a signed request are believed only
if no signed answer follows within the timeout, and the engine that signed last is asked first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from collectors.contract import Address
from collectors.errors import AccessDenied, BadAnswer, DeviceError, Unreachable, UnsignedRefusal
from collectors.protocols.snmp import ber
from collectors.protocols.snmp.auth import Usm
from collectors.protocols.snmp.ber import Oid
from collectors.protocols.snmp.client import SILENT, SnmpClient, new_id
from collectors.protocols.snmp.usm import Message, Untrusted, UsmSession

_USM_STATS = "1.3.6.1.6.3.15.1.1"  # RFC 3414
_NOT_IN_TIME, _UNKNOWN_ENGINE, _UNDECRYPTED = f"{_USM_STATS}.2.0", f"{_USM_STATS}.4.0", f"{_USM_STATS}.6.0"
_REFUSALS = {
    f"{_USM_STATS}.1.0": ("the user may not sign or encrypt this way", "check auth.auth and auth.priv"),
    f"{_USM_STATS}.3.0": ("unknown user", "check auth.user"),
    f"{_USM_STATS}.5.0": ("wrong signature", "check auth.auth_password and auth.auth"),
    _UNDECRYPTED: ("it cannot decrypt the request", "check auth.priv_password and auth.priv"),
    "1.3.6.1.6.3.12.1.4.0": ("the context is not available now", "check the module that auth.context names"),
    "1.3.6.1.6.3.12.1.5.0": ("unknown context", "check auth.context"),
    "1.3.6.1.6.3.11.2.1.3.0": ("no application serves this engine and context", "check auth.context_engine"),
}
"""Report of an agent (RFC 3414 5, RFC 3413 4.1.2, RFC 3412 5) → its meaning and the suggested fix."""
_MUTE = "it only reports its engine: check auth.priv_password, auth.priv and auth.context"
"""Net-SNMP does not answer requests that it cannot decrypt, nor requests for a context it does not have."""
_AUTHORIZATION = 16
_ROUNDS = 4  # of one request: discovery, wrong time, and both again after the device was replaced
_ENGINE_OCTETS = range(5, 33)


@dataclass(frozen=True)
class _Answer:
    """A response or a report, which is about its first object."""

    message: Message
    content: ber.Response

    @property
    def report(self) -> Oid | None:
        """The reported object; None for a response."""
        if self.message.tag != ber.REPORT:
            return None
        return self.content.values[0][0] if self.content.values else ""

    @staticmethod
    def read(message: Message) -> _Answer:
        return _Answer(message, ber.Response.read(message.pdu, 0, len(message.pdu)))


class UserClient(SnmpClient):
    """See `SnmpClient`."""

    def __init__(self, address: Address, user: Usm, timeout_s: float, max_packets_s: float) -> None:
        super().__init__(address, timeout_s, max_packets_s)
        self._user = user
        self._session = UsmSession(user)
        self._answered = False

    async def open(self) -> None:
        """Open the socket; discover the engine unless one has signed before.

        Raises
        ------
        Unreachable, AccessDenied, BadAnswer
        """
        await super().open()
        try:
            if not self._session.restore():
                await self._discover()
        except DeviceError:
            await self.close()
            raise

    async def close(self) -> None:
        """Close the socket."""
        self._session.reset()
        await super().close()

    async def _request(self, kind: int, oids: Sequence[Oid], second: int = 0, third: int = 0) -> ber.Response:
        """Send a request; discover engine and time again where they changed."""
        request_id, url = new_id(), self._address.url
        pdu = ber.encoded_pdu(kind, request_id, second, third, oids)
        for _ in range(_ROUNDS):
            if not self._session.engine_id:
                await self._discover()
            answer = await self._ask(pdu, request_id)
            report = answer.report
            self._answered = True
            if report is None:
                if answer.content.status == _AUTHORIZATION:
                    raise AccessDenied(
                        f"{url} denies access: the user may not read these objects", "check the user's view there"
                    )
                return answer.content
            if answer.message.engine_id != self._session.engine_id:  # replaced: the new device may have other users
                self._session.reset()
                continue
            if report in _REFUSALS:
                why, suggested_fix = _REFUSALS[report]
                other = self._user.other_key if report == _UNDECRYPTED else ""
                refusal = UnsignedRefusal if self._is_unsigned(answer) else AccessDenied
                raise refusal(f"{url} denies access: {why}", suggested_fix + other)
            if report not in (_NOT_IN_TIME, _UNKNOWN_ENGINE):
                raise BadAnswer(f"{url} reports {report or 'nothing'} instead of an answer")
            if report == _UNKNOWN_ENGINE or answer.message.level == 1:
                self._session.reset()
        raise UnsignedRefusal(f"{url} denies access: its engine or time keeps changing", "restart its SNMP service")

    async def _discover(self) -> None:
        """Ask for engine, boots and time, which the agent must report (RFC 3414 4)."""
        request_id = new_id()
        reported = (await self._ask(ber.encoded_pdu(ber.GET, request_id, 0, 0, []), request_id)).message
        if reported.tag != ber.REPORT or len(reported.engine_id) not in _ENGINE_OCTETS:
            raise BadAnswer(f"{self._address.url} does not report its engine", "check that it speaks SNMPv3")
        self._answered = False
        self._session.bind_engine(reported.engine_id, reported.boots, reported.time_s)

    async def _ask(self, pdu: bytes, request_id: int) -> _Answer:
        """Send a request until its response or a report about it is received."""
        sent: set[int] = set()
        unsigned: _Answer | None = None

        def datagram() -> bytes:
            sent.add(message_id := new_id())
            return self._session.request(message_id, pdu)

        def accept(received: bytes) -> _Answer | None:
            try:
                message = self._session.read(received)
            except Untrusted as error:
                raise BadAnswer(f"{self._address.url} answers, but {error}", error.hint, error.code) from None
            if message.message_id not in sent:
                return None
            answer = _Answer.read(message)
            if self._is_unsigned(answer):
                nonlocal unsigned
                unsigned = answer
                return None
            return answer if self._matches(answer, request_id) else None

        mute = bool(self._session.engine_id) and not self._answered
        try:
            return await self._exchange(datagram, accept, _MUTE + self._user.other_key if mute else SILENT)
        except (Unreachable, BadAnswer):
            if unsigned is None:
                raise
            return unsigned

    def _is_unsigned(self, answer: _Answer) -> bool:
        """Whether it is a report about a signed request that anyone could have sent."""
        asked = self._user.level if self._session.engine_id else 1
        return answer.report is not None and answer.message.level < min(asked, 2)

    def _matches(self, answer: _Answer, request_id: int) -> bool:
        """Whether it is a report, or the response of the right engine and context, as protected as the request."""
        message, engine_id = answer.message, self._session.engine_id
        context = (self._user.context_engine or engine_id, self._user.context.encode())
        return message.tag == ber.REPORT or (
            message.tag == ber.RESPONSE
            and message.level == self._user.level
            and message.engine_id == engine_id
            and (message.context_engine, message.context) == context
            and answer.content.request_id == request_id
        )
