import pytest

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.errors import ConfigError


@pytest.mark.parametrize(
    ("url", "host", "port", "unit"),
    [
        ("snmp://10.0.0.7", "10.0.0.7", 161, 1),
        ("snmp://[::1]:1161", "::1", 1161, 1),
        ("modbus://meter:1502?unit=7", "meter", 1502, 7),
        ("http://10.0.1.1:9835/metrics", "10.0.1.1", 9835, 1),
        ("https://node/metrics", "node", 443, 1),
    ],
)
def test_addresses(url, host, port, unit):
    address = Address.parse(url)
    assert (address.host, address.port, address.unit) == (host, port, unit)


@pytest.mark.parametrize(
    "url", ["10.0.0.7", "ftp://x", "snmp://", "snmp://h:99999", "modbus://h?unit=x", "modbus://h?unit=300"]
)
def test_what_is_no_address(url):
    with pytest.raises(ConfigError, match="is not an address"):
        Address.parse(url)


def test_a_device_of_the_lease():
    row = {
        "key": "pdu-1",
        "profile": "apc-rpdu2",
        "address": "snmp://h",
        "interval_s": 5,
        "timeout_s": None,
        "auth": None,
    }
    device = PolledDevice.from_wire(row)
    assert device == PolledDevice("pdu-1", "apc-rpdu2", Address.parse("snmp://h"), interval_s=5.0, timeout_s=3.0)
    assert PolledDevice.from_wire({"key": "x", "profile": None, "address": "snmp://h"}).profile == "auto"
    assert PolledDevice.from_wire({**row, "ct_primary_a": 400}).ct_primary_a == 400.0
