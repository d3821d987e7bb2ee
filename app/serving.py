"""The HTTP server around the application."""

from __future__ import annotations

import socket

import uvicorn
from fastapi import FastAPI

from app.services.context import Context


class Server(uvicorn.Server):
    """uvicorn, except that stopping ends open streams first: a live page must not hold up Ctrl-C."""

    def __init__(self, app: FastAPI, *, host: str, port: int, log_level: str = "warning") -> None:
        self._context: Context = app.state.context
        config = uvicorn.Config(
            app, host=host, port=port, log_level=log_level, server_header=False, timeout_graceful_shutdown=10
        )
        super().__init__(config)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Tell the streams, then wait for the connections."""
        self._context.stopping.set()
        await super().shutdown(sockets)
