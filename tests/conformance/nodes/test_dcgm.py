"""Expositions of real dcgm-exporters; expected numbers read off the text (power W, energy mJ)."""

import asyncio
import math

import pytest

from collectors.profiles.registry import find
from collectors.protocols.openmetrics.plan import read_exposition
from tests.conformance.captures import capture

pytestmark = pytest.mark.conformance


def test_an_a100_cut_into_slices():
    text = capture("nvml/dcgm/dcgm_exporter_a100_mig.prom").read_text()
    found = {item.series.key: item for item in asyncio.run(read_exposition(find("dcgm"), text))}
    assert {key: item.value for key, item in found.items()} == {
        "gpu/0:power": 409.692,
        "gpu/0:energy": pytest.approx(319_159.391),
        "gpu/0:temperature": 61.0,
    }
    assert found["gpu/0:power"].series.label == "GPU-34319582-d595-d1c7-d1d2-179bcfa61660"


def test_a_card_that_does_not_support_a_metric_says_a_number():
    text = capture("nvml/dcgm/dcgm_exporter_blank_sentinel.prom").read_text()
    blank = text.replace("DCGM_FI_DEV_MEMORY_TEMP", "DCGM_FI_DEV_GPU_TEMP")
    (item,) = asyncio.run(read_exposition(find("dcgm"), blank))
    assert math.isnan(item.value)  # 9223372036854775794
