"""Fetch answers of devices over HTTP: the bytes after decompression and the time are limited.

httpx decompresses each part as a whole, and 64 KiB of gzip can hold 64 MiB. Therefore only gzip is accepted, and it is
decompressed here, up to the limit.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx

from collectors.device.limits import MOST_BYTES, clipped
from collectors.errors import BadAnswer, Unreachable

_WHOLE_ANSWER = 5  # timeouts of the device within which its whole answer must arrive
_GZIP = 31  # zlib's number for a gzip header
_PARTS_A_TURN = 50  # parts of a body after which other devices have their turn


class WebAnswer(NamedTuple):
    """A complete answer; `body` is decompressed."""

    status: int
    headers: Mapping[str, str]
    body: bytes


async def fetch(
    client: httpx.AsyncClient,
    method: str,
    url: str,
    *,
    json: object = None,
    params: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    most_bytes: int = MOST_BYTES,
) -> WebAnswer:
    """Send a request and return the whole answer, of at most `most_bytes` after decompression.

    Raises
    ------
    httpx.HTTPError
        There is no answer.
    Unreachable
        The answer does not end in time.
    BadAnswer
        It is too large, or its encoding is unknown or damaged.
    """
    whole_s = _WHOLE_ANSWER * (client.timeout.read or 0.0)
    options: dict[str, Any] = {
        "json": json,
        "params": params,
        "headers": {"Accept-Encoding": "gzip", **(headers or {})},
    }
    try:
        async with asyncio.timeout(whole_s), client.stream(method, url, **options) as answer:
            return WebAnswer(answer.status_code, answer.headers, await _body(answer, url, most_bytes))
    except httpx.InvalidURL:
        raise BadAnswer(f"{clipped(url)!r} is not an address that can be read", code="bad_link") from None
    except TimeoutError:
        detail = f"{url} did not finish its answer in {whole_s:g} s"
        raise Unreachable(detail, "raise timeout_s of the device if it is slow") from None


async def _body(answer: httpx.Response, url: str, most_bytes: int) -> bytes:
    encoding = answer.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "", "gzip"):
        detail = f"{url} answered in the encoding {encoding[:40]!r}, which was not asked for"
        raise BadAnswer(detail, "turn its compression off, or use gzip", "unknown_encoding")
    unpacker = zlib.decompressobj(_GZIP) if encoding == "gzip" else None
    body, count = bytearray(), 0
    async for part in answer.aiter_raw():
        try:
            body += part if unpacker is None else unpacker.decompress(part, most_bytes + 1 - len(body))
        except zlib.error:
            raise BadAnswer(f"{url} answered with damaged gzip", code="damaged_gzip") from None
        if len(body) > most_bytes:
            detail = f"{url} answered with more than {most_bytes // 2**20} MiB"
            raise BadAnswer(detail, "is this the address of the device? Let it report less", "answer_too_large")
        count += 1
        if count % _PARTS_A_TURN == 0:
            await asyncio.sleep(0)
    if unpacker is not None and body and not unpacker.eof:
        raise BadAnswer(f"{url} answered with damaged gzip", code="damaged_gzip")
    return bytes(body)
