"""What SNMP writes on the wire, against pyasn1's encoder and against anything."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyasn1.codec.ber import decoder, encoder
from pysnmp.proto import rfc1902, rfc1905
from pysnmp.proto.api import v2c

from collectors.protocols.snmp import ber

OID = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=20).map(lambda arcs: "1.3." + ".".join(map(str, arcs)))
VALUES = [
    (rfc1902.Integer32(-5), -5),
    (rfc1902.Integer32(-(2**31)), -2147483648),
    (rfc1902.Counter32(4294967295), 4294967295),
    (rfc1902.Gauge32(2147483648), 2147483648),
    (rfc1902.TimeTicks(0), 0),
    (rfc1902.Counter64(2**64 - 1), 18446744073709551615),
    (rfc1902.OctetString(b"x\xff"), b"x\xff"),
    (rfc1902.OctetString(b"y" * 300), b"y" * 300),
    (rfc1902.Opaque(b"\x9f\x78\x04\x42\xf6\x00\x00"), b"\x9f\x78\x04\x42\xf6\x00\x00"),
    (rfc1902.ObjectIdentifier("1.3.6.1.4.1.318"), "1.3.6.1.4.1.318"),
    (rfc1902.ObjectIdentifier("0.0"), "0.0"),
    (rfc1902.ObjectIdentifier("2.999.4294967295"), "2.999.4294967295"),
    (rfc1902.IpAddress("10.1.2.3"), "10.1.2.3"),
    (rfc1905.noSuchObject, None),
    (rfc1905.noSuchInstance, None),
    (rfc1905.endOfMibView, None),
]


def listed(pairs) -> bytes:
    pdu = v2c.ResponsePDU()
    v2c.apiPDU.set_defaults(pdu)
    v2c.apiPDU.set_varbinds(pdu, pairs)
    return bytes(encoder.encode(v2c.apiPDU.get_varbind_list(pdu)))


@pytest.mark.parametrize(("given", "meant"), VALUES, ids=lambda v: type(v).__name__)
def test_every_type(given, meant):
    data = listed([("1.3.6.1.4.1.9.1", given)])
    ((oid, tag, value),) = ber.varbinds(data, 0, len(data))
    assert (oid, value) == ("1.3.6.1.4.1.9.1", meant)
    assert (tag in ber.ABSENT) == (meant is None)


def test_a_counter_without_the_zero_that_keeps_it_positive():
    """Some agents leave it out: 0xFFFFFFFF in four octets is 4294967295, never -1."""
    data = bytes.fromhex("300f300d06052b060104014104ffffffff")
    assert [value for _, _, value in ber.varbinds(data, 0, len(data))] == [4294967295]


@pytest.mark.parametrize(
    ("tag", "content", "value"),
    [
        (0x02, "", None),  # an INTEGER of length 0 is not 0
        (0x41, "", None),
        (0x41, "00ffffffff", 4294967295),
        (0x41, "0100000000", None),  # 2^32 in a Counter32 is not 4294967295
        (0x41, "ffffffffffffffff", None),
        (0x41, "000000000007", None),
        (0x42, "ffffffffff", None),
        (0x43, "00ffffffffff", None),
        (0x46, "00ffffffffffffffff", 18446744073709551615),
        (0x46, "01ffffffffffffffff", None),
        (0x46, "0000ffffffffffffffff", None),
        (0x02, "ffffffffffffff", -1),
        (0x02, "00" * 9, None),
    ],
)
def test_a_number_of_an_impossible_length_is_missing_and_the_others_are_read(tag, content, value):
    content = bytes.fromhex(content)
    odd = ber.encoded(ber.SEQUENCE, bytes.fromhex("06052b06010401") + ber.encoded(tag, content))
    other = bytes.fromhex("300c06052b06010402") + b"\x02\x01\x07"
    data = ber.encoded(ber.SEQUENCE, odd + bytes((0x30, 0x0A)) + other[2:])
    (_, found_tag, found), (_, _, seven) = ber.varbinds(data, 0, len(data))
    assert (found, seven) == (value, 7)
    assert found_tag not in ber.ABSENT  # it exists: a walk goes on behind it


@settings(max_examples=200, deadline=None)
@given(st.lists(OID, max_size=8), st.integers(0, 2**31 - 1), st.integers(0, 127))
def test_a_question_is_what_pyasn1_reads(oids, request_id, third):
    data = ber.encoded_pdu(ber.GET_BULK, request_id, 0, third, oids)
    pdu, rest = decoder.decode(data, asn1Spec=v2c.GetBulkRequestPDU())
    assert rest == b""
    assert int(v2c.apiBulkPDU.get_request_id(pdu)) == request_id
    assert int(v2c.apiBulkPDU.get_max_repetitions(pdu)) == third
    assert [str(oid) for oid, _ in v2c.apiBulkPDU.get_varbinds(pdu)] == oids


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(OID, st.integers(0, 2**64 - 1)), max_size=8))
def test_an_answer_of_pyasn1_is_read(pairs):
    data = listed([(oid, rfc1902.Counter64(value)) for oid, value in pairs])
    assert [(oid, value) for oid, _, value in ber.varbinds(data, 0, len(data))] == pairs


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=60), st.integers(0, 40), st.binary(min_size=1, max_size=4))
def test_any_octets_are_read_or_malformed(tail, at, patch):
    whole = listed([("1.3.6.1.4.1.9.1", rfc1902.Gauge32(7)), ("1.3.6.1.4.1.9.2", rfc1902.OctetString(b"abc"))])
    for data in (tail, b"\x30" + bytes((len(tail),)) + tail, whole[:at] + patch + whole[at + len(patch) :]):
        with suppress(ber.Malformed):
            list(ber.varbinds(data, 0, len(data)))
