"""The HTTP server around the application."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator

import uvicorn
from fastapi import FastAPI

from app.errors import Unavailable
from app.server.http_protocol import HttpProtocol
from app.services.stores import Stores

_PATIENCE_S = 30.0
_LOOK_S = 0.25


class Server(uvicorn.Server):
    """uvicorn that ends open streams first when it stops, so that no live page delays Ctrl-C, and idles cheaply.

    `before_stop` is called while requests are still answered, for collectors that have something left to deliver.
    """

    def __init__(
        self,
        app: FastAPI,
        *,
        host: str,
        port: int,
        log_level: str = "warning",
        background_tasks: bool = True,
        before_stop: Callable[[], None] = lambda: None,
    ) -> None:
        self._stores: Stores = app.state.stores
        self._before_stop = before_stop
        settings = self._stores.settings
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            log_level=log_level,
            http=HttpProtocol,
            proxy_headers=False,  # `TrustedProxies` reads them
            server_header=False,
            ssl_certfile=settings.tls_certificate,
            ssl_keyfile=settings.tls_key,
            timeout_graceful_shutdown=10,
            lifespan="on" if background_tasks else "off",
        )
        super().__init__(config)

    async def main_loop(self) -> None:
        """Update the date and check whether to stop less often than uvicorn's ten times a second."""
        while not await self.on_tick(0):
            await asyncio.sleep(_LOOK_S)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then wait for the connections."""
        await asyncio.to_thread(self._before_stop)
        self._stores.stopping.set()
        await super().shutdown(sockets)


@contextlib.contextmanager
def serving(app: FastAPI, *, background_tasks: bool = True) -> Iterator[str]:
    """Run the application on a free port of this machine in a thread; yield its address.

    Without `background_tasks` it only answers requests; figures are computed on request.

    Raises
    ------
    Unavailable
        The server did not start.
    """
    server = Server(app, host="127.0.0.1", port=0, background_tasks=background_tasks)
    thread = threading.Thread(target=server.run, name="server", daemon=True)
    thread.start()
    try:
        _await_start(server, thread)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(_PATIENCE_S)


def _await_start(server: Server, thread: threading.Thread) -> None:
    end_s = time.monotonic() + _PATIENCE_S
    while not server.started:
        if not thread.is_alive() or time.monotonic() > end_s:
            raise Unavailable("the server did not start", "see its message above")
        time.sleep(0.01)
