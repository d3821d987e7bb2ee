"""Encode requests and verify responses of SNMPv3 for one user and one engine (RFC 3412 7, RFC 3414 3).

No message without the signature that it must have is returned. Ciphers and their keys are pysnmp's.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from dataclasses import dataclass
from typing import Any

from pysnmp.entity import config
from pysnmp.error import PySnmpError
from pysnmp.proto.rfc1902 import OctetString
from pysnmp.proto.secmod.rfc3414.service import SnmpUSMSecurityModel

from collectors.protocols.snmp import ber
from collectors.protocols.snmp.auth import Usm

SIGNERS = {
    "md5": config.USM_AUTH_HMAC96_MD5,
    "sha1": config.USM_AUTH_HMAC96_SHA,
    "sha224": config.USM_AUTH_HMAC128_SHA224,
    "sha256": config.USM_AUTH_HMAC192_SHA256,
    "sha384": config.USM_AUTH_HMAC256_SHA384,
    "sha512": config.USM_AUTH_HMAC384_SHA512,
}
"""pysnmp's names of the authentication and encryption protocols."""
CIPHERS = {
    "des": config.USM_PRIV_CBC56_DES,
    "aes128": config.USM_PRIV_CFB128_AES,
    "aes192": config.USM_PRIV_CFB192_AES_BLUMENTHAL,
    "aes256": config.USM_PRIV_CFB256_AES_BLUMENTHAL,
    "aes192c": config.USM_PRIV_CFB192_AES,
    "aes256c": config.USM_PRIV_CFB256_AES,
}
"""Two drafts extend a hash that is shorter than the key of AES-192 or AES-256: draft-blumenthal-aes-usm-04, and
draft-reeder-snmpv3-usm-3desede-00, which Cisco uses and Net-SNMP calls AES-192-C and AES-256-C."""
_SIGNATURE_OCTETS = {"md5": 12, "sha1": 12, "sha224": 16, "sha256": 24, "sha384": 32, "sha512": 48}
_FLAGS = {0: 1, 1: 2, 3: 3}  # of a message → level of security
_REPORTABLE = 4
_MOST_OCTETS = 65507
_USM = 3
_V3 = 3
_WINDOW_S = 150
_LAST_BOOT = 2**31 - 1
_EXPANDED = 2**20  # octets of the repeated password that are hashed (RFC 3414 A.2)


class Untrusted(Exception):
    """A message claims to be from our engine and fails verification."""

    def __init__(self, code: str, why: str, hint: str) -> None:
        super().__init__(why)
        self.code = code
        self.hint = hint


FORGED = "bad_signature"
UNREADABLE = "not_decrypted"
OLD = "old_answer"


@dataclass(frozen=True)
class Message:
    """A verified message: security level (1 unsigned, 2 signed, 3 also encrypted), context and PDU."""

    message_id: int
    level: int
    engine_id: bytes
    boots: int
    time_s: int
    context_engine: bytes
    context: bytes
    tag: int
    pdu: bytes


def password_key(password: str, kind: str) -> bytes:
    """Return the key of a password for any engine (RFC 3414 A.2, RFC 7860 9.3)."""
    octets = password.encode()
    return hashlib.new(kind, (octets * (_EXPANDED // len(octets) + 1))[:_EXPANDED]).digest()


def localized(key: bytes, engine_id: bytes, kind: str) -> bytes:
    """Return the key for one engine (RFC 3414 2.6)."""
    return hashlib.new(kind, key + engine_id + key).digest()


class UsmSession:
    """Messages between a user and an engine. The engine is unknown until `bind_engine`."""

    def __init__(self, user: Usm) -> None:
        self._user = user
        self._hash = user.auth
        self._digest = _SIGNATURE_OCTETS.get(user.auth, 0)
        self._cipher = SnmpUSMSecurityModel.PRIV_SERVICES[CIPHERS[user.priv]] if user.priv else None
        self._auth = self._priv = b""
        self.engine_id = b""
        self._sign = b""
        self._encrypt: Any = None
        self._boots = self._time_s = 0
        self._latest_s = 0
        self._at_s = 0.0
        self._certain = False
        self._pinned = b""

    def reset(self) -> None:
        """Forget the engine, except the one that `restore` returns to."""
        self.engine_id, self._certain = b"", False

    def restore(self) -> bool:
        """Use the last engine again that signed a message; return False if none did.

        No other host can sign for it, but any host can answer a discovery.
        """
        if self._pinned:
            self.bind_engine(self._pinned, self._boots, self._now_s())
        return bool(self._pinned)

    def bind_engine(self, engine_id: bytes, boots: int, time_s: int) -> None:
        """Use this engine. Its time is not authenticated yet: it dates requests and rejects no response."""
        self.engine_id, self._certain = engine_id, False
        self._note_time(boots, time_s)
        if self._user.auth:
            self._auth = self._auth or password_key(self._user.auth_password.reveal(), self._hash)
            self._sign = localized(self._auth, engine_id, self._hash)
        if self._cipher is not None:
            self._priv = self._priv or password_key(self._user.priv_password.reveal(), self._hash)
            signer, key = SIGNERS[self._user.auth], OctetString(self._priv)
            self._encrypt = self._cipher.localize_key(signer, key, OctetString(engine_id))

    def request(self, message_id: int, pdu: bytes) -> bytes:
        """Return a message to the engine; the discovery request while it is unknown (RFC 3414 4)."""
        level = self._user.level if self.engine_id else 1
        name = self._user.name.encode() if self.engine_id else b""
        boots, time_s = (self._boots, self._now_s()) if self.engine_id else (0, 0)
        context_engine = self._user.context_engine or self.engine_id
        scoped = ber.encoded(
            ber.SEQUENCE,
            ber.encoded(ber.OCTETS, context_engine) + ber.encoded(ber.OCTETS, self._user.context.encode()) + pdu,
        )
        salt = b""
        if level == 3 and self._cipher is not None:
            encrypted, salted = self._cipher.encrypt_data(self._encrypt, (boots, time_s, None), scoped)
            scoped, salt = ber.encoded(ber.OCTETS, bytes(encrypted)), bytes(salted)
        blank = bytes(self._digest if level > 1 else 0)
        after = ber.encoded(ber.OCTETS, salt)
        security = ber.encoded(
            ber.SEQUENCE,
            ber.encoded(ber.OCTETS, self.engine_id)
            + ber.encoded_number(boots)
            + ber.encoded_number(time_s)
            + ber.encoded(ber.OCTETS, name)
            + ber.encoded(ber.OCTETS, blank)
            + after,
        )
        whole = ber.encoded(
            ber.SEQUENCE,
            ber.encoded_number(_V3) + _header(message_id, level) + ber.encoded(ber.OCTETS, security) + scoped,
        )
        if level == 1:
            return whole
        end = len(whole) - len(scoped) - len(after)
        return whole[: end - self._digest] + self._signature(whole) + whole[end:]

    def read(self, datagram: bytes) -> Message:
        """Return the message in a datagram; verify signature and time, and decrypt, as its level demands.

        Raises
        ------
        ber.Malformed
            It is not SNMPv3.
        Untrusted
            Its signature or engine is wrong, it is too old, or it cannot be decrypted.
        """
        end = len(datagram)
        _, at, stop = ber.element(datagram, 0, end, ber.SEQUENCE)
        version, at = ber.number(datagram, at, stop)
        if stop != end or version != _V3:
            raise ber.Malformed("it is not SNMPv3")
        _, begin, at = ber.element(datagram, at, stop, ber.SEQUENCE)
        message_id, level = _read_header(datagram, begin, at)
        _, begin, at = ber.element(datagram, at, stop, ber.OCTETS)
        signed = _Security.read(datagram, begin, at)
        if level > 1:
            self._check(datagram, signed)
        scoped = datagram[at:stop]
        if level == 3:
            scoped = self._decrypted(ber.octets(datagram, at, stop)[0], signed)
        try:
            _, at, stop = ber.element(scoped, 0, len(scoped), ber.SEQUENCE)
            context_engine, at = ber.octets(scoped, at, stop)
            context, at = ber.octets(scoped, at, stop)
            tag, begin, stop = ber.element(scoped, at, stop)
        except ber.Malformed as error:
            if level < 3:
                raise
            raise _unreadable() from error
        source = (signed.engine_id, signed.boots, signed.time_s)
        return Message(message_id, level, *source, context_engine, context, tag, scoped[begin:stop])

    def _check(self, datagram: bytes, security: _Security) -> None:
        """Verify user, signature and time (RFC 3414 3.2, steps 5 to 7)."""
        begin, end = security.signature
        blank = datagram[:begin] + bytes(end - begin) + datagram[end:]
        if (
            security.engine_id != self.engine_id
            or security.user != self._user.name.encode()
            or end - begin != self._digest
            or not self._digest
            or not hmac.compare_digest(self._signature(blank), datagram[begin:end])
        ):
            raise Untrusted(FORGED, "its signature is wrong", "another host answers, or answers are altered in transit")
        if not self._certain or (security.boots, security.time_s) > (self._boots, self._latest_s):
            self._note_time(security.boots, security.time_s)
        if self._boots == _LAST_BOOT:
            raise Untrusted(OLD, "its count of restarts is at its end", "give it a new engine id (RFC 3414 2.2.3)")
        if (security.boots, security.time_s + _WINDOW_S) < (self._boots, self._now_s()):
            raise Untrusted(OLD, "its answer is older than 150 s", "its answers are replayed, or its clock went back")
        self._certain, self._pinned = True, self.engine_id

    def _signature(self, blank: bytes) -> bytes:
        return hmac.digest(self._sign, blank, self._hash)[: self._digest]

    def _decrypted(self, encrypted: bytes, security: _Security) -> bytes:
        if self._cipher is None:
            raise _unreadable()
        salt = (security.boots, security.time_s, OctetString(security.salt))
        try:
            return bytes(self._cipher.decrypt_data(self._encrypt, salt, OctetString(encrypted)))
        except (PySnmpError, ValueError):
            raise _unreadable() from None

    def _note_time(self, boots: int, time_s: int) -> None:
        self._boots, self._time_s, self._at_s = boots, time_s, time.monotonic()
        self._latest_s = time_s

    def _now_s(self) -> int:
        """Return the engine's time [s since it started]."""
        return self._time_s + int(time.monotonic() - self._at_s)


@dataclass(frozen=True)
class _Security:
    """Security parameters of a message; `signature` is its begin and end in the datagram."""

    engine_id: bytes
    boots: int
    time_s: int
    user: bytes
    signature: tuple[int, int]
    salt: bytes

    @staticmethod
    def read(data: bytes, at: int, end: int) -> _Security:
        _, at, stop = ber.element(data, at, end, ber.SEQUENCE)
        engine_id, at = ber.octets(data, at, stop)
        boots, at = ber.number(data, at, stop)
        time_s, at = ber.number(data, at, stop)
        user, at = ber.octets(data, at, stop)
        _, begin, at = ber.element(data, at, stop, ber.OCTETS)
        salt, _ = ber.octets(data, at, stop)
        if not (0 <= boots < 2**31 and 0 <= time_s < 2**31):
            raise ber.Malformed("an invalid time")
        return _Security(engine_id, boots, time_s, user, (begin, at), salt)


def _header(message_id: int, level: int) -> bytes:
    flags = {1: 0, 2: 1, 3: 3}[level] | _REPORTABLE
    return ber.encoded(
        ber.SEQUENCE,
        ber.encoded_number(message_id)
        + ber.encoded_number(_MOST_OCTETS)
        + ber.encoded(ber.OCTETS, bytes((flags,)))
        + ber.encoded_number(_USM),
    )


def _read_header(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Return message id and security level."""
    message_id, at = ber.number(data, at, end)
    _, at = ber.number(data, at, end)
    flags, at = ber.octets(data, at, end)
    model, _ = ber.number(data, at, end)
    if len(flags) != 1 or flags[0] & 3 not in _FLAGS or model != _USM:
        raise ber.Malformed("an invalid header")
    return message_id, _FLAGS[flags[0] & 3]


def _unreadable() -> Untrusted:
    return Untrusted(UNREADABLE, "its answer cannot be decrypted", "check auth.priv and auth.priv_password")
