"""Two demos on one machine: the second one's devices listen elsewhere."""

import socket

import pytest

from app.errors import Unavailable
from app.server.demo_facility import demo_facility
from collectors.simulator.plant.facility_layout import read_facility_layout

TEXT = """
[devices.pdu]
address = "snmp://127.0.0.1:{udp}"
[devices.meter]
address = "modbus://127.0.0.1:{tcp}?unit=1"
"""


def port(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def demo(tmp_path):
    path = tmp_path / "given.toml"
    path.write_text(TEXT.format(udp=port(socket.SOCK_DGRAM), tcp=port(socket.SOCK_STREAM)))
    return path


def test_free_ports_are_the_demos_own(demo, tmp_path):
    assert demo_facility(tmp_path, demo) == demo


@pytest.mark.parametrize("kind", [socket.SOCK_DGRAM, socket.SOCK_STREAM])
def test_a_taken_port_moves_all_of_them(demo, tmp_path, kind):
    text = demo.read_text()
    udp, tcp = (int(text.split(scheme)[1].split(":")[1].split('"')[0].split("?")[0]) for scheme in ("snmp:", "modbus:"))
    with socket.socket(socket.AF_INET, kind) as other:
        other.bind(("127.0.0.1", udp if kind == socket.SOCK_DGRAM else tcp))
        if kind == socket.SOCK_STREAM:
            other.listen()
        found = demo_facility(tmp_path, demo)
    assert found == tmp_path / "demo.toml"
    moved = [
        n for n in range(20, 1000, 20) if f":{udp + n}" in found.read_text() and f":{tcp + n}?" in found.read_text()
    ]
    assert len(moved) == 1


def test_nothing_free_is_reported(tmp_path):
    path = tmp_path / "given.toml"
    path.write_text('address = "http://127.0.0.1:70000/"')
    with pytest.raises(Unavailable, match="no ports are free"):
        demo_facility(tmp_path, path)


def test_the_moved_demo_is_a_facility_file(tmp_path):
    layout = read_facility_layout(demo_facility(tmp_path))
    assert len(layout.devices) == 22
