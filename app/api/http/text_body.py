"""Decode text in request bodies."""

from __future__ import annotations

from app.errors import BadRequest


def not_utf8(error: UnicodeDecodeError) -> BadRequest:
    """Return the error about a body that is not UTF-8."""
    return BadRequest(
        f"the body is not UTF-8: byte 0x{error.object[error.start]:02x} at position {error.start}",
        "save it as UTF-8, or send it in UTF-8",
        code="unreadable_body",
    )


def utf8(body: bytes) -> str:
    """Return the text of a body, without a byte order mark.

    Raises
    ------
    BadRequest
        It is not UTF-8.
    """
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(error) from None
