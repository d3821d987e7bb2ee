"""Moving a cord changes no finished job; a correction of the past is an explicit act and gives a new revision."""

DAY_MS = 86_400_000


def test_a_moved_cord_and_a_correction(client, hall, deliver, register, clock):
    last_week = clock.now - 7 * DAY_MS
    deliver("pdu-a", last_week, {"outlet/1:power": [1000.0] * 60, "outlet/7:power": [400.0] * 60})
    end = last_week + 600_000
    job = register(name="old", nodes=[{"node": "n1"}], start=last_week, end=end)
    path = f"/api/v1/jobs/{job['id']}"

    def figures():
        summary = client.get(path).json()["summary"]
        return summary["revision"], summary["energy_j"]

    # 1000 W for 600 s
    assert figures() == (1, 600_000.0)

    clock.now += 60_000
    moved = client.patch("/api/v1/nodes/n1", json={"feeds": ["pdu-a/outlet/7"]})
    assert moved.status_code == 200
    assert figures() == (1, 600_000.0)
    assert client.get(f"/api/v1/nodes/n1?at={end}").json()["feeds"] == ["pdu-a/outlet/1"]

    clock.now += 60_000
    corrected = client.patch(
        f"/api/v1/nodes/n1?effective={last_week + 300_000}",
        json={"feeds": ["pdu-a/outlet/7"], "label": "moved earlier"},
    )
    assert corrected.status_code == 200
    clock.now += 60_000
    # the cord hung on the outlet with 400 W since the middle of the job: 300 s of each
    revision, energy_j = figures()
    assert revision == 2
    assert abs(energy_j - (300_000.0 + 120_000.0)) < 1.0
    assert figures() == (2, energy_j)
