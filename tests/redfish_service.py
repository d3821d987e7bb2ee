"""A Redfish service over real HTTP (or TLS): serves a folder of resources, with sessions or basic authentication."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
import subprocess
from collections.abc import Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

SESSIONS = "/redfish/v1/SessionService/Sessions"


@dataclass
class Service:
    """Resources by path without a slash at the end; a value of str is sent as it stands. With `users` (name →
    password) everything but the root needs a session (`sessions`) or basic authentication."""

    resources: dict[str, object]
    users: Mapping[str, str] = field(default_factory=dict)
    sessions: bool = True
    status: dict[str, int] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    tokens: dict[str, str] = field(default_factory=dict)
    at_once: int = 0
    most_at_once: int = 0
    port: int = 0

    def answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> tuple[int, dict, object]:
        place = path.partition("?")[0].rstrip("/")
        self.requests.append((method, place))
        if place in self.status:
            return self.status[place], {}, {}
        if method == "POST" and place == SESSIONS:
            return self._log_in(json.loads(body)) if self.sessions else (405, {}, {})
        if method == "DELETE" and place in self.tokens:
            del self.tokens[place]
            return 204, {}, None
        if place != "/redfish/v1" and self.users and not self._known(headers):
            return 401, {}, {"error": {"code": "Base.1.8.NoValidSession"}}
        if method != "GET" or place not in self.resources:
            return 404, {}, {"error": {"code": "Base.1.8.ResourceMissingAtURI"}}
        return 200, {}, self.resources[place]

    def _log_in(self, body: Mapping[str, str]) -> tuple[int, dict, object]:
        if self.users.get(body["UserName"]) != body["Password"]:
            return 401, {}, {}
        number = len(self.requests)
        place = f"{SESSIONS}/{number}"
        self.tokens[place] = f"token-{number}"
        return 201, {"X-Auth-Token": self.tokens[place], "Location": place}, {"@odata.id": place}

    def _known(self, headers: Mapping[str, str]) -> bool:
        if headers.get("x-auth-token") in self.tokens.values():
            return True
        kind, _, given = headers.get("authorization", "").partition(" ")
        name, _, password = base64.b64decode(given).decode().partition(":") if kind == "Basic" else ("", "", "")
        return bool(name) and self.users.get(name) == password

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                self.at_once += 1
                self.most_at_once = max(self.most_at_once, self.at_once)
                first, *lines = head.strip().split("\r\n")
                headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
                method, path, _ = first.split(" ")
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                status, more, value = self.answer(method, path, headers, body)
                sent = (
                    value.encode() if isinstance(value, str) else b"" if value is None else json.dumps(value).encode()
                )
                rows = [f"HTTP/1.1 {status} X", f"Content-Length: {len(sent)}", *(f"{k}: {v}" for k, v in more.items())]
                writer.write("\r\n".join([*rows, "", ""]).encode() + sent)
                await writer.drain()
                self.at_once -= 1
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving(service: Service, tls: ssl.SSLContext | None = None):
    """The service on an ephemeral port; yields its address."""
    server = await asyncio.start_server(service.handle, "127.0.0.1", 0, ssl=tls)
    service.port = server.sockets[0].getsockname()[1]
    try:
        yield f"{'redfish' if tls else 'http'}://127.0.0.1:{service.port}"
    finally:
        server.close()


def root(**more: str) -> dict[str, object]:
    """The root of a service with chassis, for captures that came without one."""
    links = {name: {"@odata.id": path} for name, path in {"Chassis": "/redfish/v1/Chassis", **more}.items()}
    return {"@odata.id": "/redfish/v1/", **links, "Links": {"Sessions": {"@odata.id": SESSIONS}}}


def collection(*paths: str) -> dict[str, object]:
    """A collection of resources."""
    return {"Members": [{"@odata.id": path} for path in paths]}


def mockup(folder: Path) -> dict[str, object]:
    """A DMTF mock-up: index.json in folders named like the paths below /redfish/v1."""
    return {
        "/".join(["/redfish/v1", *path.parent.relative_to(folder).parts]): json.loads(path.read_text())
        for path in folder.rglob("index.json")
    }


def crawl(folder: Path) -> dict[str, object]:
    """A crawl in files named by path with _ for /: every resource under the path it gives itself."""
    found = (json.loads(path.read_text()) for path in folder.glob("_redfish_v1*.json"))
    return {str(body["@odata.id"]).rstrip("/"): body for body in found if "@odata.id" in body}


def certificates(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A CA of our own, made by openssl, and the context of a server at 127.0.0.1 whose certificate it signed."""

    def run(*args: str) -> None:
        subprocess.run(["openssl", *args], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    ca = ("-subj", "/CN=our CA", "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=keyCertSign")
    run("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", *ca)
    run("req", *key, "-keyout", "bmc.key", "-out", "bmc.csr", "-subj", "/CN=bmc")
    (folder / "ext").write_text("subjectAltName=IP:127.0.0.1\nauthorityKeyIdentifier=keyid\n")
    signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "ext", "-days", "2")
    run("x509", "-req", "-in", "bmc.csr", "-out", "bmc.pem", *signed)
    stores = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    stores.load_cert_chain(folder / "bmc.pem", folder / "bmc.key")
    return folder / "ca.pem", stores
