"""Compress answers."""

from __future__ import annotations

from starlette.types import ASGIApp
from starlette_compress import CompressMiddleware, add_compress_type, remove_compress_type

LEVEL = 4

remove_compress_type("text/event-stream")  # an event is sent at once, not when a block is full
for _media_type in ("application/problem+json", "application/openmetrics-text", "text/csv"):
    add_compress_type(_media_type)


class Compression(CompressMiddleware):
    """Compresses answers with zstd or gzip as the client accepts; never event streams or files that are compressed."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app, zstd_level=LEVEL, gzip_level=LEVEL, brotli=False)
