"""Node exporters in Prometheus or OpenMetrics text."""

from __future__ import annotations

from collectors.protocols.openmetrics.driver import ExpositionPage, OpenMetricsDriver
from collectors.protocols.openmetrics.exposition import metric_names
from collectors.protocols.openmetrics.sample_stream import SamplesDriver

__all__ = ["ExpositionPage", "OpenMetricsDriver", "SamplesDriver", "metric_names"]
