"""What stands in the database after a crash, held against what was acknowledged."""

from dataclasses import dataclass

import numpy as np
from sqlalchemy import select, text

from app.models import ChunkColumnRow, ChunkRow, table
from app.store.database.engine import reading
from app.store.timeseries.codec import decode_times, decode_values, figures
from app.store.timeseries.frames import FrameStore
from tests.torture.plan import DEVICES, PARTS, POINTS, T0, WRITERS, holes, seconds, value

CHUNK, COLUMN = table(ChunkRow), table(ChunkColumnRow)


@dataclass(frozen=True)
class Standing:
    """What a verdict counted."""

    samples: int
    chunks: int
    unacknowledged: int


class Judge:
    """Remembers what was acknowledged, so that each verdict costs only what is new, and a reading of everything."""

    def __init__(self):
        self._counted = [0] * WRITERS
        self._acknowledged = {(device, point): set() for device in DEVICES for point in POINTS}

    def judge(self, engine, counts):
        """Raises AssertionError on the first thing that is wrong. `counts`: batches acknowledged, by writer."""
        for writer, count in enumerate(counts):
            for batch in range(self._counted[writer], count):
                for key, found in _samples(writer, batch).items():
                    self._acknowledged[key] |= found
        self._counted = list(counts)
        present = _present(engine)
        chunks = _check_chunks(engine)
        for key, wanted in self._acknowledged.items():
            lost = wanted - present[key]
            assert not lost, f"{key} lost {len(lost)} acknowledged samples, the first at second {min(lost)}"
        return Standing(sum(map(len, present.values())), chunks, self._check_in_flight(present, counts))

    def _check_in_flight(self, present, counts):
        """A batch that was not acknowledged may stand, whole for each device; nothing else may."""
        flying = [_samples(writer, count) for writer, count in enumerate(counts)]
        stored = 0
        for key, found in present.items():
            strange = found - self._acknowledged[key] - set().union(*(one.get(key, set()) for one in flying))
            assert not strange, f"{key} has {len(strange)} samples nobody sent"
        for writer, device in ((w, d) for w in range(WRITERS) for d in DEVICES):
            alone = {
                (point, second)
                for point in PARTS[writer]
                for second in flying[writer][device, point] - self._acknowledged[device, point]
                if not any(second in o.get((device, point), ()) for o in flying if o is not flying[writer])
            }
            there = {(point, second) for point, second in alone if second in present[device, point]}
            assert there in (set(), alone), f"a batch of {device} is torn: {len(there)} of {len(alone)} samples"
            stored += bool(there)
        return stored


def _samples(writer, batch):
    """The seconds of each (device, point) that a batch brings."""
    found = {}
    for device in DEVICES:
        missing, at = holes(writer, batch, device), seconds(batch)
        for column, point in enumerate(PARTS[writer]):
            found[device, point] = set(at[~missing[:, column]].tolist())
    return found


def _present(engine):
    """The seconds of each (device, point) in the table; each once, with the value that was sent."""
    keys = {f"{device}/{point}:power": (device, point) for device in DEVICES for point in POINTS}
    found = {}
    for key, samples in FrameStore(engine).read(list(keys), T0, 1 << 50).items():
        device, point = keys[key]
        at = (samples.t_ms - T0) // 1000
        assert (np.diff(samples.t_ms) > 0).all(), f"{key} has samples twice"
        assert np.array_equal(samples.v, value(device, point, at)), f"{key} has values nobody sent"
        found[device, point] = set(at.tolist())
    return found


def _check_chunks(engine):
    """Every column belongs to a chunk, has its length, and adds up to its figures."""
    with reading(engine) as connection:
        if engine.dialect.name == "sqlite":
            assert connection.execute(text("PRAGMA integrity_check")).all() == [("ok",)]
        chunks = {(c.stream_id, c.start_ms, c.layout_id): c for c in connection.execute(select(CHUNK))}
        columns = connection.execute(select(COLUMN)).all()
    times = {key: decode_times(chunk.times) for key, chunk in chunks.items()}
    for key, chunk in chunks.items():
        assert (len(times[key]), times[key][0], times[key][-1]) == (chunk.count, chunk.first_ms, chunk.last_ms)
    for column in columns:
        t, values = times[column.stream_id, column.start_ms, column.layout_id], decode_values(column.payload)
        there = ~np.isnan(values)
        again = figures(t[there], values[there], 1000, 3000)
        assert again.__dict__ == {name: getattr(column, name) for name in again.__dict__}
    return len(chunks)
