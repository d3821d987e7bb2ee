"""The rules for Prometheus on the page of alerts, loaded and evaluated by Prometheus' own promtool."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.blocks import block
from tests.paths import DOCS

PROMTOOL = shutil.which("promtool")
CASES = """\
rule_files: [wattline.rules.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {series: 'wattline_alerts_active{rule="rack_load", level="crit"}', values: "2x40"}
      - {series: 'wattline_alerts_active{rule="no_readings", level="warn"}', values: "0x40"}
    alert_rule_test:
      - eval_time: 1m
        alertname: WattlineAlert
        exp_alerts:
          - exp_labels: {rule: rack_load, level: crit, severity: crit}
            exp_annotations: {summary: "2 active: rack_load", dashboard: "https://wattline.example.org/alerts"}
      - {eval_time: 29m, alertname: WattlineNotHandled, exp_alerts: []}
      - eval_time: 31m
        alertname: WattlineNotHandled
        exp_alerts:
          - exp_labels: {rule: rack_load, level: crit, severity: page}
            exp_annotations: {summary: "critical for 30 minutes: rack_load"}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The two files of the page, in a folder."""
    if PROMTOOL is None:
        if os.environ.get("CI") == "true":
            pytest.fail("promtool is not installed")
        pytest.skip("promtool is not installed")
    for name in ("prometheus.yml", "wattline.rules.yml"):
        (tmp_path / name).write_text(block(DOCS / "alerts.md", "yaml", f"# {name}"))
    return tmp_path


def promtool(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(PROMTOOL), *arguments], cwd=folder, capture_output=True, text=True, timeout=60)


def test_prometheus_accepts_the_configuration_and_the_rules(folder: Path) -> None:
    done = promtool(folder, "check", "config", "--syntax-only", "prometheus.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert promtool(folder, "check", "rules", "wattline.rules.yml").returncode == 0


def test_a_critical_alert_escalates_after_30_minutes(folder: Path) -> None:
    (folder / "cases.yml").write_text(CASES)
    done = promtool(folder, "test", "rules", "cases.yml")
    assert done.returncode == 0, done.stdout + done.stderr
