"""Why a reading is refused."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Reasons = NDArray[np.uint8]
"""A `RefusalReason` for each reading, 0 where it is accepted."""


class RefusalReason(IntEnum):
    """Why a reading is refused. Most are tried in this order."""

    NOT_FINITE = 1
    OUT_OF_RANGE = 2
    MISSING_CODE = 3
    NEGATIVE = 4
    ABOVE_RATING = 5
    CONTRADICTS = 6
    COUNTER_DECREASES = 7
    COUNTER_STUCK = 8
    SERVER_IS_ON = 9
    SCALE_CONTRADICTS = 10
