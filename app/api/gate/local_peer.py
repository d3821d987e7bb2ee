"""Local mode: whether a request comes from the server's own user on this machine, who needs no token.

The address alone proves nothing: a proxy on the same machine makes every request look local.
"""

from __future__ import annotations

import ipaddress
import os
import re
import struct
import sys
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.types import Scope

from app.api.gate.forwarded import is_forwarded

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_ESTABLISHED = "01"
CONNECTION = "wattline_connection"
"""What the server remembers of a connection, in the state of its requests (`app.server.http_protocol`)."""
_LOCAL_HOST = re.compile(r"(?i:(?P<name>localhost)|(?P<v4>[0-9.]+)|\[(?P<v6>[0-9a-f:.]+)\])(:\d{1,5})?")
Address = tuple[str, int]


def why_not_local(scope: Scope, *, on_loopback: bool) -> str | None:
    """Return why local mode does not apply to a request; None if it does.

    `on_loopback`: whether the server listens on a loopback address. The `Host` header counts because a page of another
    site may have a name that resolves to 127.0.0.1.
    """
    headers = Headers(scope=scope)
    if not on_loopback:
        return "the server listens on an address that other machines reach"
    host = _LOCAL_HOST.fullmatch(headers.get("host", ""))
    if host is None or not (host["name"] or is_loopback(host["v4"] or host["v6"])):
        return "the request does not name 127.0.0.1 or localhost as its host"
    if is_forwarded(headers):
        return "the request was forwarded by a proxy"
    if not _is_own_user(scope):
        return "the request does not come from the user that runs the server"
    return None


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Return whether a host is written as a loopback address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_own_user(scope: Scope) -> bool:
    """Return whether the other end of the connection belongs to this process's user; once for each connection."""
    connection: dict[str, Any] = scope.get("state", {}).get(CONNECTION, {})
    if "is_own_user" not in connection:
        connection["is_own_user"] = peer_uid(scope) == os.geteuid()
    return bool(connection["is_own_user"])


def peer_uid(scope: Scope) -> int | None:
    """Return the user id of the other end of a connection, None if it cannot be determined.

    Without a connection of our server, the application is called in this process (`local_client`). Only Linux
    reports the owner of a socket; elsewhere the loopback address has to suffice.
    """
    peer, own = scope.get("client"), scope.get("server")
    if peer is not None and CONNECTION not in scope.get("state", {}) and not (_is_address(peer[0]) and peer[1]):
        return os.geteuid()
    if peer is None or own is None or own[1] is None or not (is_loopback(peer[0]) and is_loopback(own[0])):
        return None
    if sys.platform != "linux":
        return os.geteuid()
    return socket_owner((peer[0], peer[1]), (own[0], own[1]))


def socket_owner(local: Address, remote: Address) -> int | None:
    """Return the user id of the socket that is connected from `local` to `remote`, as the kernel lists it."""
    for _ in range(2):  # the list is not atomic: a socket can be missed while others close
        for table in _TABLES:
            uid = _find(table, local, remote)
            if uid is not None:
                return uid
    return None


def _find(table: Path, local: Address, remote: Address) -> int | None:
    try:
        rows = table.read_text("ascii")
    except OSError:
        return None
    for encode in (_plain, _mapped):
        wanted = f" {encode(local)} {encode(remote)} {_ESTABLISHED} "
        _, found, rest = rows.partition(wanted)
        if found:
            _queues, _timer, _retransmits, uid, _timeout, inode = rest.split(maxsplit=6)[:6]
            if inode != "0":  # a socket that its process closed has no owner, but is listed with user 0
                return int(uid)
    return None


def _plain(address: Address) -> str:
    return _written(ipaddress.ip_address(address[0]).packed, address[1])


def _mapped(address: Address) -> str:
    """Write an IPv4 address as an IPv6 socket has it."""
    ip = ipaddress.ip_address(address[0])
    return _written((b"\0" * 10 + b"\xff\xff" + ip.packed) if ip.version == 4 else ip.packed, address[1])


def _written(packed: bytes, port: int) -> str:
    """Write an address as /proc/net/tcp does: each 32-bit word in the byte order of the machine, in hexadecimal."""
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return "".join(f"{word:08X}" for word in words) + f":{port:04X}"
