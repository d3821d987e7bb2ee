"""Agents of the benchmark whose datagrams get lost or arrive twice: `python -m tests.torture.agents PORT OUTLETS FILE`.

FILE holds the shares of datagrams that are lost and that are answered twice, such as `0.1 0.05`; read once a second.
"""

import random
import socket
import struct
import sys
import time
from pathlib import Path

from tests.benchmarks.agents.snmp_agents import _PKTINFO, Agents


def shares(file):
    try:
        lost, twice = map(float, file.read_text().split())
    except (OSError, ValueError):
        return 0.0, 0.0
    return lost, twice


def main(port, outlets, file):
    agents, rng = Agents(outlets), random.Random(0)
    lost, twice, read_s = 0.0, 0.0, 0.0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 * 2**20)
        server.setsockopt(socket.IPPROTO_IP, _PKTINFO, 1)
        server.bind(("0.0.0.0", port))
        print("ready", flush=True)
        while True:
            data, told, _, client = server.recvmsg(65535, socket.CMSG_SPACE(12))
            if time.monotonic() > read_s + 1:
                (lost, twice), read_s = shares(file), time.monotonic()
            if rng.random() < lost:
                continue
            _, asked, _ = struct.unpack("I4s4s", told[0][2])
            source = [(socket.IPPROTO_IP, _PKTINFO, struct.pack("I4s4s", 0, asked, b"\0\0\0\0"))]
            for _ in range(2 if rng.random() < twice else 1):
                server.sendmsg([agents.answer(data)], source, 0, client)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
