"""Running jobs take their place in a sorted list by what they have drawn so far."""


def test_a_list_by_energy_has_running_jobs_in_their_place(client, hall, deliver, register, start):
    # n1 draws 1 kW, n2 2 kW over two hours, a reading every 10 s
    deliver("pdu-a", start, {"outlet/1:power": [1000.0] * 720, "outlet/2:power": [2000.0] * 720})
    hour = 3_600_000

    def job(name, node, begin, end):
        return register(name=name, nodes=[{"node": node}], start=start + begin, **({"end": start + end} if end else {}))

    job("half", "n1", 0, hour // 2)  # 0.5 kWh
    job("runs", "n2", hour, None)  # 2 kWh so far
    job("two", "n2", 0, hour // 4)  # 0.5 kWh, earlier
    job("whole", "n1", hour // 2, 3 * hour // 2)  # 1 kWh
    listed = "/api/v1/jobs?sort=-energy_j&limit={}"
    for each in client.get(listed.format(50)).json()["items"]:  # figures of ended jobs are stored once asked for
        client.get(f"/api/v1/jobs/{each['id']}")
    found = client.get(listed.format(50)).json()["items"]
    assert [each["name"] for each in found[:2]] == ["runs", "whole"]
    assert {each["name"] for each in found[2:]} == {"half", "two"}

    names, cursor = [], ""
    while True:
        page = client.get(listed.format(1) + cursor).json()
        names += [each["name"] for each in page["items"]]
        if not page["next"]:
            break
        cursor = f"&cursor={page['next']}"
    assert names == [each["name"] for each in found]
    rising = client.get("/api/v1/jobs?sort=energy_j").json()["items"]
    assert rising[-1]["name"] == "runs"
