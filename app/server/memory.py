"""Memory of the process."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

_M_ARENA_MAX, _ARENAS = -8, 2


def share_arenas() -> None:
    """Let all threads allocate from two arenas, if the C library is glibc, which gives up to eight a core.

    What one thread frees is used by the next one then, instead of staying with a thread that rests.
    """
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        mallopt(_M_ARENA_MAX, _ARENAS)


def return_free_memory() -> None:
    """Return memory that the process freed to the system, if the C library is glibc.

    glibc keeps what threads freed in arenas of their own: the rollups of one minute would stay resident for good.
    """
    if (trim := _malloc_trim()) is not None:
        trim(0)


@cache
def _malloc_trim() -> ctypes._NamedFuncPointer | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
