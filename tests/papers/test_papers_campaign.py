"""Readings polled over sockets equal the readings loaded directly."""

import numpy as np
import pytest

from collectors.simulator.api_client import ApiClient
from tests.papers.machines import FINE_MS, METER, START_MS, Campaign, SharedClock, Stretch
from tests.simulator.fake_server import FakeServer

pytestmark = pytest.mark.anyio
MINUTE_MS = 60_000


async def test_polled_and_loaded_readings_are_the_same():
    polled, loaded = FakeServer(), FakeServer()
    until_ms = START_MS + 2 * MINUTE_MS
    client = ApiClient("http://server", transport=polled.transport())
    campaign = Campaign(client, SharedClock(), lambda _: None)
    ends = dict.fromkeys(campaign.plant.facility.devices, until_ms)
    await campaign._poll(ends)
    await client.close()
    assert campaign.polls == 6 * 24 + 11 * 2  # six devices at KIT every 5 s, eleven at BNL every minute
    client = ApiClient("http://server", transport=loaded.transport())
    for device in ("pdu-bnl-a", "hgx-01-exporter", METER, "green-01-exporter"):
        step = FINE_MS if device in (METER, "green-01-exporter") else MINUTE_MS
        await Campaign(client, SharedClock(), lambda _: None)._load(Stretch(device, START_MS, until_ms, step))
    await client.close()
    assert loaded.frames
    for stream, rows in loaded.frames.items():
        assert polled.series[stream] == loaded.series[stream]
        assert list(polled.frames[stream]) == list(rows)
        for t, row in rows.items():
            np.testing.assert_allclose(polled.frames[stream][t], row, rtol=1e-12, err_msg=str(stream))


def test_the_clock_only_moves_forward():
    clock = SharedClock(5)
    clock.forward(9)
    clock.forward(7)
    assert clock() == 9


def test_every_published_run_is_on_the_plant():
    campaign = Campaign(ApiClient("http://server"), SharedClock(), lambda _: None)
    names = {run.work.key for run in campaign.plant.runs}
    assert len(names) == 19
    for name in names:
        runs = [run for run in campaign.plant.runs if run.work.key == name]
        single = name.endswith(("jupyter", "250"))
        assert len(runs) == (1 if single else 5)
        assert len({run.node for run in runs}) == len(runs)
    for node in campaign.plant.nodes.values():
        ends = [run.end_s for run in node.runs]
        assert all(end < run.start_s for end, run in zip(ends, node.runs[1:], strict=False))
