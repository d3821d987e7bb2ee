"""Encode and decode SNMP's BER: tag, length, content (RFC 3417 8). Why not a library: docs/decisions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

Raw = int | float | str | bytes | None
Oid = str

INTEGER, OCTETS, NULL, OBJECT_ID, SEQUENCE = 0x02, 0x04, 0x05, 0x06, 0x30
GET, GET_NEXT, RESPONSE, GET_BULK, REPORT = 0xA0, 0xA1, 0xA2, 0xA5, 0xA8
_ADDRESS, _OPAQUE = 0x40, 0x44
_UNSIGNED = frozenset({0x41, 0x42, 0x43, 0x46, 0x47})  # Counter32, Gauge32, TimeTicks, Counter64, UInteger32
ABSENT = frozenset({0x80, 0x81, 0x82})
"""noSuchObject, noSuchInstance, endOfMibView."""
_COUNTER64 = 0x46
_LONGEST_INTEGER = 8
_UNSIGNED_32, _UNSIGNED_64 = 5, 9  # octets: 32 and 64 bits, and the zero that keeps them positive
_MOST_ARCS, _LARGEST_ARC = 128, 2**32 - 1  # RFC 2578 3.5
_CACHED_OCTETS = 48
"""Longest object identifier that is cached; those of a poll have 10 to 25 octets. An agent chooses them, so the caches
are limited in bytes: 2 × 65,536 entries of at most 0.6 kB are 80 MB, and 4,096 lists of at most 8 kB are 32 MB."""
_CACHED_TEXT = 4_096

Varbind = tuple[Oid, int, Raw]
"""OID, tag and value."""


class Malformed(ValueError):
    """Octets that are not valid SNMP."""


def element(data: bytes, at: int, end: int, wanted: int | None = None) -> tuple[int, int, int]:
    """Return tag, begin and end of the content of the element at `at`, which lies in one that ends at `end`.

    Raises
    ------
    Malformed
        It reaches beyond `end`, or has another tag than `wanted`.
    """
    if at + 2 > end:
        raise Malformed("it is truncated")
    tag, length, at = data[at], data[at + 1], at + 2
    if wanted is not None and tag != wanted:
        raise Malformed(f"tag {tag:#04x} where {wanted:#04x} is expected")
    if length & 0x80:
        octets = length & 0x7F
        if not 0 < octets <= 4 or at + octets > end:
            raise Malformed("an invalid length")
        length, at = int.from_bytes(data[at : at + octets], "big"), at + octets
    if at + length > end:
        raise Malformed("it is truncated")
    return tag, at, at + length


def number(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Return an INTEGER and where it ends."""
    _, begin, stop = element(data, at, end, INTEGER)
    return _signed(data[begin:stop]), stop


def octets(data: bytes, at: int, end: int) -> tuple[bytes, int]:
    """Return an OCTET STRING and where it ends."""
    _, begin, stop = element(data, at, end, OCTETS)
    return data[begin:stop], stop


@dataclass(frozen=True, slots=True)
class Response:
    """Content of a response or report: request id, error status and variable bindings."""

    request_id: int
    status: int
    values: list[Varbind]

    @staticmethod
    def read(data: bytes, at: int, end: int) -> Response:
        """Decode the content of a PDU.

        Raises
        ------
        Malformed
        """
        request_id, at = number(data, at, end)
        status, at = number(data, at, end)
        _, at = number(data, at, end)
        return Response(request_id, status, varbinds(data, at, end))


def varbinds(data: bytes, at: int, end: int) -> list[Varbind]:
    """Return the variable bindings of the list at `at`."""
    _, at, stop = element(data, at, end, SEQUENCE)
    if stop != end:
        raise Malformed("octets follow the values")
    found: list[Varbind] = []
    while at < stop:
        fast = at + 6 <= stop and data[at + 3] <= _CACHED_OCTETS
        if fast and (head := _number_head(data[at : at + 6 + data[at + 3]])) is not None:
            oid, tag, size = head
            begin = at + 6 + data[at + 3]
            if begin + size <= stop:
                found.append((oid, tag, int.from_bytes(data[begin : begin + size], "big", signed=tag == INTEGER)))
                at = begin + size
                continue
        varbind, at = _varbind(data, at, stop)
        found.append(varbind)
    return found


@lru_cache(maxsize=2**16)
def _number_head(head: bytes) -> tuple[Oid, int, int] | None:
    """Return OID, tag and size of a number of at most 4 octets by the octets before it; None for anything else.

    Nearly all varbinds of a poll are such numbers, and every poll has the same heads: a lookup in place of decoding.
    """
    size, tag = head[-1], head[-2]
    is_number = 0 < size <= 4 and (tag == INTEGER or tag in _UNSIGNED)
    lengths = (len(head) - 2 + size, len(head) - 6)  # of the varbind and of its name, both below 128
    if not is_number or lengths[0] > 0x7F or tuple(head[:4]) != (SEQUENCE, lengths[0], OBJECT_ID, lengths[1]):
        return None
    return _dotted(head[4:-2]), tag, size


def _varbind(data: bytes, at: int, end: int) -> tuple[Varbind, int]:
    """Return a variable binding and where it ends."""
    _, begin, stop = element(data, at, end, SEQUENCE)
    _, name, value = element(data, begin, stop, OBJECT_ID)
    oid = _dotted(data[name:value])
    tag, begin, ends = element(data, value, stop)
    if ends != stop:
        raise Malformed(f"octets follow the value of {oid}")
    if tag == INTEGER or tag in _UNSIGNED:
        decoded = _number(tag, data[begin:ends])
        return (oid, NULL if decoded is None else tag, decoded), stop
    return (oid, tag, _value(tag, data[begin:ends])), stop


def _number(tag: int, content: bytes) -> int | None:
    """Return a number; None if its type cannot have so many octets.

    A number without octets is not 0, and a Counter32 of more than 32 bits is not its largest value: it is missing.
    """
    size = len(content)
    if tag == INTEGER:
        return int.from_bytes(content, "big", signed=True) if 0 < size <= _LONGEST_INTEGER else None
    longest = _UNSIGNED_64 if tag == _COUNTER64 else _UNSIGNED_32
    if not 0 < size <= longest or (size == longest and content[0]):
        return None
    return int.from_bytes(content, "big")


def _value(tag: int, content: bytes) -> Raw:
    """Return texts as bytes, addresses and object identifiers as text, absent objects as None."""
    if tag in (OCTETS, _OPAQUE):
        return content
    if tag == OBJECT_ID:
        return _dotted(content)
    if tag == _ADDRESS:
        return ".".join(str(octet) for octet in content)
    if tag == NULL or tag in ABSENT:
        return None
    raise Malformed(f"a value of tag {tag:#04x}")


def _signed(content: bytes) -> int:
    if not 0 < len(content) <= _LONGEST_INTEGER:
        raise Malformed("an invalid number")
    return int.from_bytes(content, "big", signed=True)


def _dotted(content: bytes) -> Oid:
    """Return the text of an object identifier; cached if it is short, since every poll reads the same ones."""
    return _short_dotted(content) if len(content) <= _CACHED_OCTETS else _decoded_dotted(content)


def _decoded_dotted(content: bytes) -> Oid:
    if not content or content[-1] & 0x80:
        raise Malformed("an invalid object identifier")
    arcs: list[int] = []
    arc = 0
    for octet in content:
        arc = arc << 7 | octet & 0x7F
        if arc > _LARGEST_ARC + 80 * (not arcs):  # the first number holds two arcs
            raise Malformed("an object identifier with an arc of more than 32 bits")
        if not octet & 0x80:
            arcs.append(arc)
            arc = 0
            if len(arcs) >= _MOST_ARCS:
                raise Malformed(f"an object identifier of more than {_MOST_ARCS} arcs")
    first = min(arcs[0] // 40, 2)
    return ".".join(map(str, (first, arcs[0] - 40 * first, *arcs[1:])))


_short_dotted = lru_cache(maxsize=2**16)(_decoded_dotted)


def encoded(tag: int, content: bytes) -> bytes:
    """Return an element."""
    size = len(content)
    if size < 0x80:
        return bytes((tag, size)) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + content


def encoded_number(value: int) -> bytes:
    """Return an INTEGER that is not negative."""
    return encoded(INTEGER, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def encoded_pdu(tag: int, request_id: int, second: int, third: int, oids: Iterable[Oid]) -> bytes:
    """Return a request about objects; `second` and `third` are error status and index, or GETBULK's non-repeaters and
    max-repetitions."""
    head = encoded_number(request_id) + encoded_number(second) + encoded_number(third)
    named = tuple(oids)
    is_short = sum(map(len, named)) <= _CACHED_TEXT
    return encoded(tag, head + (_cached_list(named) if is_short else _unbound_list(named)))


def _unbound_list(oids: tuple[Oid, ...]) -> bytes:
    """Return a list of variable bindings without values."""
    return encoded(SEQUENCE, b"".join(map(_unbound, oids)))


_cached_list = lru_cache(maxsize=2**12)(_unbound_list)
"""Every poll requests the same lists."""


def _unbound(oid: Oid) -> bytes:
    """Return a variable binding without value."""
    arcs = [int(arc) for arc in oid.strip(".").split(".")]
    content = bytearray()
    for arc in (40 * arcs[0] + arcs[1], *arcs[2:]):
        shifts = range((max(arc.bit_length(), 1) + 6) // 7 * 7 - 7, 0, -7)
        content += bytes(0x80 | arc >> shift & 0x7F for shift in shifts) + bytes((arc & 0x7F,))
    return encoded(SEQUENCE, encoded(OBJECT_ID, bytes(content)) + encoded(NULL, b""))
