"""Serve the pages and the API below a path, such as https://intranet.example.org/wattline/."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send


class PathPrefix:
    """Accepts addresses with the prefix, as a proxy passes them on, and without it (ASGI middleware).

    `root_path` of the request is the prefix in both cases: links, redirects and the OpenAPI document contain it.
    """

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self.app = app
        self.prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with the prefix at the start of its path."""
        if scope["type"] == "http" and self.prefix:
            path = scope["path"]
            has_prefix = path == self.prefix or path.startswith(f"{self.prefix}/")
            bare = path.removeprefix(self.prefix) or "/" if has_prefix else path
            scope = {**scope, "root_path": self.prefix, "path": self.prefix + bare}
        await self.app(scope, receive, send)


def route_path(scope: Scope) -> str:
    """Return the path of a request without the prefix."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    return path[len(root) :] if root and path.startswith(f"{root}/") else path
