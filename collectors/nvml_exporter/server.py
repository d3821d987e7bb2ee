"""HTTP server of the exporter: `/metrics` and `/samples?since=CURSOR&limit=N`, read-only, standard library only."""

from __future__ import annotations

import hmac
import json
import socket
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from urllib.parse import parse_qs, urlsplit

from collectors.contract import wall_clock_ms
from collectors.nvml_exporter.exposition import CONTENT_TYPE
from collectors.nvml_exporter.metrics import exposition
from collectors.nvml_exporter.ring import BadSampleCursor, Ring
from collectors.nvml_exporter.sampler import Sampler
from collectors.nvml_exporter.samples_api import ARROW, JSON, as_arrow, as_json, head, pyarrow
from collectors.nvml_exporter.sampling_thread import SamplingThread

MOST_ROWS = 2000
"""Maximum rows of one response; clients continue with its cursor."""
_MOST_CONNECTIONS = 32
_IDLE_S = 30.0
_INDEX = b"Wattline node exporter: /metrics, /samples?since=CURSOR&limit=ROWS\n"


@dataclass
class Exporter:
    """The data that the HTTP server exposes."""

    sampler: Sampler
    ring: Ring
    sampling: SamplingThread
    token: str = ""
    now_ms: Callable[[], int] = wall_clock_ms
    requests: Counter[str] = field(default_factory=Counter)

    def metrics(self) -> bytes:
        """Return the exposition."""
        return exposition(self.sampler, self.ring, self.sampling, dict(self.requests), self.now_ms()).encode()

    def samples(self, since: str, limit: int, arrow: bool) -> bytes:
        """Return rows since a cursor. Raises BadSampleCursor."""
        part = self.ring.since(since, limit)
        names = {sampled.gpu.uuid: sampled.gpu.name for sampled in self.sampler.gpus}
        about = head(part, self.sampler.interval_s, self.now_ms(), names)
        return as_arrow(about, part.rows) if arrow else as_json(about, part.rows)


class ExporterServer(ThreadingHTTPServer):
    """Serves a limited number of connections, each in its own thread."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], exporter: Exporter) -> None:
        self.exporter = exporter
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        self._slots = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """Bind without the reverse DNS lookup of the base class."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: object, client_address: object) -> None:
        """Start a thread for the connection, or close it at the limit."""
        if self._slots.acquire(blocking=False):
            super().process_request(request, client_address)  # type: ignore[arg-type]
        else:
            self.shutdown_request(request)  # type: ignore[arg-type]

    def process_request_thread(self, request: object, client_address: object) -> None:
        """Serve one connection."""
        try:
            super().process_request_thread(request, client_address)  # type: ignore[arg-type]
        finally:
            self._slots.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore broken connections: the client retries."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "wattline-nvml-exporter"
    sys_version = ""
    timeout = _IDLE_S
    server: ExporterServer

    def do_GET(self) -> None:
        """Handle a GET request."""
        url = urlsplit(self.path)
        if not self._allowed():
            self._problem(HTTPStatus.UNAUTHORIZED, "unauthorized", "bearer token required")
        elif url.path == "/metrics":
            self._count(url.path)
            self._send(HTTPStatus.OK, CONTENT_TYPE, self.server.exporter.metrics())
        elif url.path == "/samples":
            self._count(url.path)
            self._samples(parse_qs(url.query))
        elif url.path == "/":
            self._send(HTTPStatus.OK, "text/plain; charset=utf-8", _INDEX)
        else:
            self._problem(HTTPStatus.NOT_FOUND, "not_found", f"{url.path} does not exist")

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: requests are counted."""

    def _samples(self, query: dict[str, list[str]]) -> None:
        limit = query.get("limit", [str(MOST_ROWS)])[0]
        if not (limit.isascii() and limit.isdigit() and len(limit) < 9 and 1 <= int(limit) <= MOST_ROWS):
            self._problem(HTTPStatus.BAD_REQUEST, "bad_limit", f"limit must be an integer from 1 to {MOST_ROWS}")
            return
        arrow = ARROW in self.headers.get("Accept", "") and pyarrow() is not None
        try:
            body = self.server.exporter.samples(query.get("since", [""])[0], int(limit), arrow)
        except BadSampleCursor as error:
            self._problem(HTTPStatus.BAD_REQUEST, error.code, error.explanation)
            return
        self._send(HTTPStatus.OK, ARROW if arrow else JSON, body)

    def _allowed(self) -> bool:
        token = self.server.exporter.token
        received = self.headers.get("Authorization", "").encode("utf-8", "replace")
        return not token or hmac.compare_digest(received, f"Bearer {token}".encode())

    def _count(self, path: str) -> None:
        self.server.exporter.requests[path] += 1

    def _problem(self, status: HTTPStatus, code: str, detail: str) -> None:
        body = json.dumps({"title": status.phrase, "status": int(status), "code": code, "detail": detail})
        self._send(status, "application/problem+json", body.encode())

    def _send(self, status: HTTPStatus, content_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)
