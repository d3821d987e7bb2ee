"""The answer of /samples in both forms."""

import json
from array import array

import pyarrow as pa

from collectors.nvml_exporter.ring import ExporterEvent, Lost, SampleColumn, SampleRow, SampleSlice
from collectors.nvml_exporter.samples_api import as_arrow, as_json, head

NAN = float("nan")
POWER = SampleColumn("gpu/0", "GPU-a", "power_average", "W", "average", 1000, 100)
OTHER = SampleColumn("gpu/1", "GPU-b", "power_average", "W", "average", 1000, 100)
BEFORE, AFTER = (POWER, OTHER), (OTHER,)
ROWS = [
    SampleRow(1, 1000, BEFORE, array("d", [400.5, 300.0])),
    SampleRow(2, 1500, BEFORE, array("d", [NAN, 301.0])),
    SampleRow(3, 2000, AFTER, array("d", [302.0])),
]
EVENT = ExporterEvent(3, 1999, "gpu_lost", "critical", "gpu/0 is lost", "gpu/0", "GPU-a")
PART = SampleSlice(ROWS, [EVENT], Lost("overwritten", 7, 1000), "900.3", "900.9")
ABOUT = head(PART, 0.5, 2100, {"GPU-a": "NVIDIA H100"})

HEAD = {
    "format": 1,
    "interval_ms": 500,
    "now_ms": 2100,
    "cursor": "900.3",
    "head": "900.9",
    "lost": {"reason": "overwritten", "rows": 7, "before_ms": 1000},
    "gpus": {"GPU-a": "NVIDIA H100"},
    "events": [
        {
            "t_ms": 1999, "kind": "gpu_lost", "severity": "critical", "detail": "gpu/0 is lost", "point": "gpu/0",
            "uuid": "GPU-a", "jobs": [],
        }
    ],
}  # fmt: skip
COLUMN = {
    "point": "gpu/0", "uuid": "GPU-a", "value": "power_average", "unit": "W", "sensor": "average", "window_ms": 1000,
    "update_ms": 100, "modulus": None,
}  # fmt: skip


def test_json_is_columnar_and_a_gpu_that_left_is_missing():
    body = json.loads(as_json(ABOUT, ROWS))
    times, (first, second) = body.pop("t_ms"), body.pop("columns")
    assert body == HEAD
    assert times == [1000, 1500, 2000]
    assert first == {**COLUMN, "values": [400.5, None, None]}
    assert (second["point"], second["values"]) == ("gpu/1", [300.0, 301.0, 302.0])


def test_arrow_says_the_same():
    table = pa.ipc.open_stream(as_arrow(ABOUT, ROWS)).read_all()
    assert table.to_pydict() == {
        "t_ms": [1000, 1500, 2000],
        "gpu/0:power_average": [400.5, None, None],
        "gpu/1:power_average": [300.0, 301.0, 302.0],
    }
    assert json.loads(table.schema.metadata[b"wattline"]) == HEAD
    assert json.loads(table.schema.field(1).metadata[b"wattline"]) == COLUMN


def test_nothing_new():
    empty = head(SampleSlice([], [], None, "900.9", "900.9"), 0.1, 5, {})
    body = json.loads(as_json(empty, []))
    assert (body["t_ms"], body["columns"], body["lost"], body["interval_ms"]) == ([], [], None, 100)
    assert pa.ipc.open_stream(as_arrow(empty, [])).read_all().num_rows == 0
