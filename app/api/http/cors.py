"""Let pages of other origins call the API."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware


def add_cors(app: FastAPI, origins: Sequence[str]) -> None:
    """Allow these origins to read answers and send requests; none by default.

    No cookie is part of it: a page sends its token in the header `Authorization`.
    """
    if origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "If-Match", "If-None-Match"],
            expose_headers=["ETag", "Location", "Retry-After", "Content-Disposition"],
        )
