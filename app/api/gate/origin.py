"""Requests that pages of other origins send."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

_DEFAULT_PORT = {"http": "80", "https": "443"}


def is_foreign(headers: Mapping[str, str], allowed: Collection[str]) -> bool:
    """Return whether a page of another origin sends this request, and of one that is not allowed to.

    Another port of the same host is another origin, although browsers call it the same site. A browser sends `Origin`
    with every request that changes something; scripts send neither `Origin` nor `Sec-Fetch-Site`.
    """
    origin = headers.get("origin")
    if origin is None:
        return headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
    return origin not in allowed and not _is_same(origin, headers.get("host", ""))


def _is_same(origin: str, host: str) -> bool:
    """Return whether an origin is this host, whatever its scheme: behind a proxy with TLS the server's own is http."""
    scheme, separator, netloc = origin.lower().partition("://")
    if not separator or not netloc or scheme not in _DEFAULT_PORT:
        return False
    own = _with_port(host.lower(), scheme)
    return own is not None and _with_port(netloc, scheme) == own


def _with_port(netloc: str, scheme: str) -> str | None:
    try:
        parts = urlsplit(f"//{netloc}")
        return f"{parts.hostname}:{parts.port or _DEFAULT_PORT[scheme]}" if parts.hostname else None
    except ValueError:
        return None
