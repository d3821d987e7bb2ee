"""The simulated node under its power caps: Koszczał et al. 2023, table 1 and figure 7, as a sweep finds them."""

import httpx
import pytest

from app.cli.sweep import work as sweep_work
from app.cli.sweep.work import SweepOptions, run_sweep
from app.server.application import create_app
from app.server.serving import serving
from app.settings import Settings
from collectors.errors import ConfigError
from collectors.simulator.rtx_node import run_time_s


@pytest.mark.parametrize(
    ("gpus", "cap_w", "seconds"),
    [(8, 260, 85.6), (8, 170, 93.6), (1, 170, 477.0), (1, 260, 424.0), (2, 260, 228.0), (2, 170, 256.0)],
)
def test_published_run_times(gpus, cap_w, seconds):
    assert run_time_s(gpus, cap_w) == pytest.approx(seconds, abs=0.05)


def test_four_gpus_are_3_3_times_as_fast_as_one():
    for cap_w in (260, 170):
        assert run_time_s(1, cap_w) / run_time_s(4, cap_w) == pytest.approx(3.3, abs=0.01)


@pytest.fixture
def url(sqlite_engine, tmp_path, monkeypatch):
    monkeypatch.setenv("WATTLINE_DATA_DIR", str(tmp_path))
    with serving(create_app(Settings(data_dir=tmp_path), engine=sqlite_engine)) as url:
        yield url


def study(url, name="s", reference=260):
    return httpx.get(f"{url}/api/v1/studies/power-cap?tag=study:{name}&reference={reference}").raise_for_status().json()


def test_table_1_by_the_sweep_command(url):
    assert run_sweep(SweepOptions([], "160:260:10", 1, name="s", simulated=True), url, "") == 0
    told = study(url)
    assert {cap["coverage"] > 0.999 for cap in told["caps"]} == {True}
    best = told["best"]
    assert (best["energy_gain_pct"]["cap"], best["energy_gain_pct"]["value"]) == (160, pytest.approx(25.39, abs=0.1))
    assert (best["difference_pct"]["cap"], best["difference_pct"]["value"]) == (170, pytest.approx(15.03, abs=0.1))
    assert (best["edp_gain_pct"]["cap"], best["edp_gain_pct"]["value"]) == (170, pytest.approx(17.32, abs=0.1))
    eds = best["eds_gain_pct"]
    assert (eds["1.5"]["cap"], eds["1.5"]["value"]) == (200, pytest.approx(2.26, abs=0.1))
    assert (eds["2.0"]["cap"], eds["2.0"]["value"]) == (170, pytest.approx(7.52, abs=0.1))
    assert told["warnings"] == ["11 of 11 runs are simulated (tag simulated:true)."]


@pytest.mark.parametrize(("gpus", "gain"), [("0", 3.0), ("0,1", 5.5), ("0,1,2,3", 11.5)])
def test_idle_gpus_eat_the_gain(url, gpus, gain):
    assert run_sweep(SweepOptions([], "160,170,180,190,200,260", 1, gpu=gpus, name="s", simulated=True), url, "") == 0
    assert study(url)["best"]["energy_gain_pct"]["value"] == pytest.approx(gain, abs=0.25)


def test_a_second_sweep_lies_before_the_first(url):
    for name in ("a", "b"):
        assert run_sweep(SweepOptions([], "200,260", 2, name=name, simulated=True), url, "") == 0
    first, second = (study(url, name)["caps"] for name in ("a", "b"))
    assert [cap["energy_j"]["mean"] for cap in first] == pytest.approx(
        [cap["energy_j"]["mean"] for cap in second], rel=1e-3
    )
    jobs = httpx.get(f"{url}/api/v1/jobs?sort=start").json()["items"]
    assert [job["tags"]["study"] for job in jobs] == ["b"] * 4 + ["a"] * 4
    assert not [job for job in jobs if not job["nodes"][0]["exclusive"]]


def test_what_the_simulated_node_cannot(url):
    with pytest.raises(ConfigError, match="cap 90 W"):
        run_sweep(SweepOptions([], "90,260", simulated=True), url, "")
    with pytest.raises(ConfigError, match="1, 2, 4 or 8 GPUs, not 3"):
        run_sweep(SweepOptions([], "200,260", gpu="0,1,2", simulated=True), url, "")
    assert sweep_work._SETTLE_S > 0
