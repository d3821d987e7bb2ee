"""Remove private data from recordings: names, places, contacts, serial numbers, MAC and IP addresses.

Equal texts get equal replacements, so that references between objects survive.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

_SYSTEM = {
    "1.3.6.1.2.1.1.4.0": b"contact",
    "1.3.6.1.2.1.1.5.0": b"name",
    "1.3.6.1.2.1.1.6.0": b"location",
}
_DESCRIPTION = "1.3.6.1.2.1.1.1.0"
_MAC = re.compile(rb"\b[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}\b")
_IPV4 = re.compile(rb"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
_IPV6 = re.compile(rb"(?<![0-9A-Za-z:])(?:[0-9A-Fa-f]{0,4}:){3,7}[0-9A-Fa-f]{0,4}(?![0-9A-Za-z:])")
_MAIL = re.compile(rb"[\w.+-]+@[\w.-]+")
_SERIAL = re.compile(rb"(?i)((?:serial(?:\s*(?:no|number))?|s/?n)\s*[.:#=]*\s*)([A-Z0-9][A-Z0-9-]{3,})")
_SERIAL_ALONE = re.compile(rb"\b(?=[A-Z0-9]*\d[A-Z0-9]*\d[A-Z0-9]*\d[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{10,20}\b")
_HEX = frozenset(b"0123456789ABCDEFabcdef")
_MAC_BYTES, _MAC_LETTERS = 6, 12


def looks_like_address(text: str) -> bool:
    """Whether a decoded value is an IPv4 address."""
    try:
        return ipaddress.ip_address(text).version == 4
    except ValueError:
        return False


def looks_like_oid(text: str) -> bool:
    """Whether a decoded value is an object identifier."""
    return re.fullmatch(r"\.?[0-2](\.\d+)+", text) is not None


class Scrubber:
    """Replaces private data consistently. `needed`: subtrees whose texts a profile reads."""

    def __init__(self, needed: Sequence[str] = (), keep_texts: bool = False) -> None:
        self._needed = tuple(needed)
        self._keep_texts = keep_texts
        self._known: dict[str, dict[str, int]] = {}

    def text(self, oid: str, raw: bytes) -> bytes:
        """Return a text without private data: replaced as a whole, unless it is needed or texts are kept."""
        if oid in _SYSTEM:
            return _SYSTEM[oid] if raw else raw
        if len(raw) == _MAC_BYTES and not raw.isascii():
            return bytes.fromhex(f"02{self._number('mac', raw.hex()):010x}")
        if not (self._keep_texts or oid == _DESCRIPTION or self._is_needed(oid)):
            return b"" if not raw.strip(b"\0 ") else f"text-{self._number('text', raw.hex())}".encode()
        return self._parts(raw)

    def address(self, text: str) -> str:
        """Return an IPv4 address of the documentation range; loopback and unspecified ones are kept."""
        known = ipaddress.ip_address(text)
        if known.is_unspecified or known.is_loopback:
            return text
        return f"192.0.2.{1 + (self._number('ipv4', text) - 1) % 254}"

    def oid(self, oid: str) -> str:
        """Replace a MAC address in the index of an object identifier (as text after its length)."""
        parts = oid.split(".")
        for at in range(len(parts) - _MAC_LETTERS):
            letters = [int(part) for part in parts[at + 1 : at + 1 + _MAC_LETTERS]]
            if parts[at] == str(_MAC_LETTERS) and all(letter in _HEX for letter in letters):
                number = self._number("mac", bytes(letters).decode().lower())
                parts[at + 1 : at + 1 + _MAC_LETTERS] = [str(ord(c)) for c in f"02{number:010d}"]
                return ".".join(parts)
        return oid

    def _is_needed(self, oid: str) -> bool:
        return any(oid == root or oid.startswith(f"{root}.") for root in self._needed)

    def _parts(self, raw: bytes) -> bytes:
        """Replace the private parts of a text."""

        def mac(found: re.Match[bytes]) -> bytes:
            number = self._number("mac", re.sub(rb"[:-]", b"", found[0]).decode().lower())
            pairs = re.findall("..", f"02{number:010x}")
            return (found[1] or b":").join(pair.encode() for pair in pairs)

        def ipv4(found: re.Match[bytes]) -> bytes:
            text = found[0].decode()
            return self.address(text).encode() if looks_like_address(text) else found[0]

        def ipv6(found: re.Match[bytes]) -> bytes:
            try:
                known = ipaddress.IPv6Address(found[0].decode())
            except ValueError:
                return found[0]
            return f"2001:db8::{self._number('ipv6', str(known)):x}".encode()

        raw = _MAIL.sub(b"contact@example.org", raw)
        raw = _MAC.sub(mac, raw)
        raw = _IPV6.sub(ipv6, raw)
        raw = _IPV4.sub(ipv4, raw)
        raw = _SERIAL.sub(lambda found: found[1] + f"SERIAL-{self._number('serial', found[2].decode())}".encode(), raw)
        return _SERIAL_ALONE.sub(lambda found: f"SERIAL-{self._number('serial', found[0].decode())}".encode(), raw)

    def _number(self, kind: str, text: str) -> int:
        """Return the number of a text among those of its kind, from 1 in order of appearance."""
        known = self._known.setdefault(kind, {})
        return known.setdefault(text, len(known) + 1)
