"""A NetBox that turns pages, over real sockets, for callers that wait."""

import asyncio
import threading
from urllib.parse import parse_qs, urlsplit

from tests.http_responder import responding
from tests.netbox.answers import BASE, LISTS


def paged(request):
    """As NetBox turns pages: `next` names the host it believes to be."""
    url = urlsplit(request.path)
    kind = url.path.removeprefix("/api/dcim/").strip("/")
    if request.headers.get("authorization") != "Bearer nbt_abc.def":
        return 403, {"detail": "Authentication credentials were not provided."}
    if kind not in LISTS:
        return 404, {"detail": "Not found."}
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    start, rows = int(query.get("offset", 0)), LISTS[kind]
    more = f"{BASE}/{kind}/?limit=3&offset={start + 3}" if start + 3 < len(rows) else None
    return 200, {"count": len(rows), "next": more, "previous": None, "results": rows[start : start + 3]}


class Server:
    """A responder in a thread of its own, for callers that wait."""

    def __init__(self, decide):
        self._decide, self._stop, self._ready = decide, None, threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))

    async def _run(self):
        async with responding(self._decide) as responder:
            self.responder, self._loop, self._stop = responder, asyncio.get_running_loop(), asyncio.Event()
            self._ready.set()
            await self._stop.wait()

    def __enter__(self):
        self._thread.start()
        self._ready.wait(10)
        return self.responder

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
