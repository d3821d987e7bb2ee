"""A client for commands: of a server, or of this installation's own database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from app.server.application import create_app
from app.server.launch import prepare
from app.settings import Settings

_PATIENCE_S = 60.0


@asynccontextmanager
async def open_client(settings: Settings, url: str, token: str) -> AsyncIterator[httpx.AsyncClient]:
    """Open the API at `url`; without one, the same API in this process on the configured database."""
    if url:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=_PATIENCE_S) as client:
            yield client
        return
    prepare(settings, None)
    tokens = {"read_token": None, "ingest_token": None, "admin_token": None}
    alone = settings.model_copy(update={**tokens, "local_mode": True, "host": "127.0.0.1"})
    app = create_app(alone)
    transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 0))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=_PATIENCE_S) as client:
        yield client
    app.state.stores.engine.dispose()
