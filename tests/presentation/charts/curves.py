"""Curves and figures of the tests in this folder, made by hand."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from app.domain.timeseries.curve import Curve, from_samples

TYPES = {"f4": "<f4", "f8": "<f8", "i4": "<i4"}


def curve(samples: dict[int, float], tau_ms: int = 10_000) -> Curve:
    """A curve from second → watts, τ 10 s, max_gap 30 s."""
    return from_samples([s * 1000 for s in samples], list(samples.values()), tau_ms, 3 * tau_ms)


def steady(start_s: int, end_s: int, watts: float) -> Curve:
    """A sample every 10 s from start to end, all alike; holds 10 s longer."""
    return curve(dict.fromkeys(range(start_s, end_s + 1, 10), watts))


def decode(array: dict[str, Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """What figure.js makes of an encoded array."""
    values = np.frombuffer(base64.b64decode(array["bdata"]), TYPES[array["dtype"]]).astype(float)
    return values + array.get("x0_ms", 0)


def texts(figure: dict[str, Any]) -> list[str]:
    """The words on a figure."""
    return [a["text"] for a in figure["layout"]["annotations"]]
