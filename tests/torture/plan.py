"""What the writers deliver: the same batches every time, so that what was acknowledged is known by its number."""

import numpy as np

from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series

T0 = 1_754_006_400_000
DEVICES = ("pdu-0", "pdu-1")
POINTS = ("a", "b", "c")
PARTS = (("a", "b"), ("b", "c"))
WRITERS = 2
FRAMES = 20
_BLOCK = 32


def seconds(batch):
    """int64[FRAMES] seconds after T0. Within a block the order is bit-reversed: most of a block comes late."""
    block, place = divmod(batch, _BLOCK)
    place = int(f"{place:05b}"[::-1], 2)
    return FRAMES * (_BLOCK * block + place) + np.arange(FRAMES)


def value(device, point, second):
    return 100.0 * second + 10 * DEVICES.index(device) + POINTS.index(point)


def batches(writer, batch):
    """What a writer sends in one call: a batch for each device. Both writers tell point b, with holes."""
    found = []
    for device in DEVICES:
        layout = Layout(device, "main", 1_000, tuple(Series(point, Quantity.POWER) for point in PARTS[writer]))
        at = seconds(batch)
        values = np.column_stack([value(device, point, at) for point in PARTS[writer]])
        values[holes(writer, batch, device)] = np.nan
        found.append(FrameBatch(layout, T0 + 1000 * at, values))
    return found


def holes(writer, batch, device):
    """bool[FRAMES, 2], what is missing in a batch."""
    rng = np.random.default_rng((writer, batch, DEVICES.index(device)))
    return rng.random((FRAMES, len(PARTS[writer]))) < 0.3
