"""docs/nvml-exporter.md names everything there is."""

import configparser
import re
import shlex
import tomllib
from pathlib import Path

from prometheus_client.openmetrics.parser import text_string_to_metric_families

import collectors.nvml_exporter
from collectors.nvml_exporter.metrics import exposition
from collectors.nvml_exporter.sampling_thread import SamplingThread
from collectors.nvml_exporter.sensors.gpu import THROTTLE_REASONS, GpuReading
from tests.nvml_exporter.fake_nvml import NO_INSTANCE
from tests.nvml_exporter.nodes import process, zone
from tests.nvml_exporter.sensors.test_job_owner import V2
from tests.paths import DOCS

PAGE = (DOCS / "nvml-exporter.md").read_text(encoding="utf-8")
SOURCE = Path(collectors.nvml_exporter.__file__).parent


def test_every_metric(make_node, node, tmp_path):
    process(tmp_path, 11, V2)
    zone(tmp_path, "intel-rapl:0", "package-0", 0)
    zone(tmp_path, "intel-rapl:0:0", "dram", 0)
    node = make_node(*node.driver.boards)
    node.driver.boards[0].processes = [(11, NO_INSTANCE)]
    node.step(watts=1.0)
    node.driver.boards[0].errors = {"nvmlDeviceGetEnforcedPowerLimit": 999}
    node.step(times=2, watts=1.0)
    text = exposition(node.sampler, node.ring, SamplingThread(lambda: None, 0.5), {"/metrics": 1}, node.time.wall_ms)
    names = {sample.name for family in text_string_to_metric_families(text) for sample in family.samples}
    assert len(names) > 30
    assert {name for name in names if f"`{name}`" not in PAGE} == set()
    told = set(re.findall(r"`(wattline_[a-z_]+)[`{]", PAGE))
    assert told - names == {"wattline_exporter_"}


def test_every_event_and_value():
    kinds = set(re.findall(r'"((?:gpu|driver|counter|clock)_[a-z]+)"', _sources())) - set(THROTTLE_REASONS)
    assert {"gpu_lost", "gpu_back", "gpu_jobs", "driver_gone", "driver_reloaded", "counter_reset"} <= kinds
    assert {kind for kind in kinds | {"nvml_missing"} if f"`{kind}`" not in PAGE} == set()
    assert {value for value in GpuReading._fields if f"`{value}`" not in PAGE} == set()


def test_the_unit_can_be_read_and_its_options_exist():
    (unit,) = re.findall(r"```ini\n(.*?)```", PAGE, re.DOTALL)
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read_string(unit)
    words = shlex.split(parser["Service"]["ExecStart"])
    assert words[1:3] == ["-m", "collectors.nvml_exporter"]
    known = set(re.findall(r'"(--[a-z-]+)"', (SOURCE / "__main__.py").read_text()))
    assert {word for word in words if word.startswith("--")} <= known


def test_the_part_of_a_facility_is_toml():
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert tomllib.loads(text)["nodes"]["hgx-01"]["exporters"] == ["http://hgx-01:9835/metrics"]


def _sources() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.glob("*.py"))
