"""Any sequence of writes, sealing and restarts equals a dictionary."""

import itertools
import math

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from app.store.chunks import seal
from app.store.frames import FrameBatch, FrameStore, WriteResult
from collectors.frame import Layout, Quantity, Series

SETS = (("a", "b"), ("b", "c"), ("c", "b", "a"))
POINTS = "abc"
VALUES = st.sampled_from([math.nan, 1.0, 2.0, -0.0])
numbers = itertools.count()


def machine(engine):
    class Table(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            self.device = f"pdu-{next(numbers)}"  # every example has a stream of its own
            self.layouts = [
                Layout(self.device, "main", 1000 * (1 + i), tuple(Series(p, Quantity.POWER) for p in points))
                for i, points in enumerate(SETS)
            ]
            self.frames = FrameStore(engine)
            self.moments = set()
            self.values = {}

        @rule(
            which=st.integers(0, len(SETS) - 1),
            rows=st.lists(st.tuples(st.integers(-5, 40), VALUES, VALUES, VALUES), max_size=8),
        )
        def write(self, which, rows):
            layout = self.layouts[which]
            t = np.array([1000 * row[0] for row in rows], np.int64)
            width = len(layout.series)
            values = np.array([row[1 : 1 + width] for row in rows], float).reshape(len(rows), width)
            expected = [0, 0, 0]
            for t_ms, row in zip(t.tolist(), values.tolist(), strict=True):
                expected[self.expect(layout, t_ms, row)] += 1
            assert self.frames.write([FrameBatch(layout, t, values)]) == [WriteResult(*expected)]

        def expect(self, layout, t_ms, row):
            """0 accepted, 1 duplicate, 2 conflict."""
            fates = {1 if t_ms in self.moments else 0}
            self.moments.add(t_ms)
            for series, v in zip(layout.series, row, strict=True):
                if math.isnan(v):
                    continue
                stood = self.values.setdefault((series.point, t_ms), None)
                if stood is None:
                    self.values[series.point, t_ms] = v
                    fates.add(0)
                elif stood != v:
                    fates.add(2)
            return 2 if 2 in fates else 0 if 0 in fates else 1

        @rule(before=st.integers(-5, 45), window_frames=st.sampled_from([3, 7]))
        def seal(self, before, window_frames):
            seal(engine, 1000 * before, window_frames)

        @rule()
        def restart(self):
            engine.dispose()
            self.frames = FrameStore(engine)

        @invariant()
        def equals_the_dictionary(self):
            found = self.frames.read([f"{self.device}/{p}:power" for p in POINTS], -1 << 40, 1 << 40)
            for point in POINTS:
                samples = found[f"{self.device}/{point}:power"]
                expected = sorted((t, v) for (p, t), v in self.values.items() if p == point and v is not None)
                assert list(zip(samples.t_ms.tolist(), samples.v.tolist(), strict=True)) == expected

        @invariant()
        def knows_its_newest_moment(self):
            newest = self.frames.latest([self.device]).get(self.device)
            assert (newest[0].t_ms if newest else None) == max(self.moments, default=None)
            span = self.frames.span(self.device)
            assert span == ((min(self.moments), max(self.moments)) if self.moments else None)

    return Table


def test_the_table_equals_a_dictionary(engine):
    examples = 40 if engine.dialect.name == "sqlite" else 15
    run_state_machine_as_test(
        lambda: machine(engine)(),
        settings=settings(
            max_examples=examples, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
