"""Small MLPerf logs, synthetic."""

import json


def event(key, value, t_ms, metadata=None):
    return ":::MLLOG " + json.dumps({"key": key, "value": value, "time_ms": t_ms, "metadata": metadata or {}}) + "\n"


def node_log(readings, start=None, stop=None, efficiency=None):
    text = "" if start is None else event("power_measurement_start", None, start)
    text += "" if efficiency is None else event("conversion_eff", efficiency, start)
    text += "".join(event("power_reading", watts, t) for t, watts in readings)
    return text + ("" if stop is None else event("power_measurement_stop", None, stop))


def result_log(start, stop, benchmark="bert", status="success"):
    return (
        "0: " + event("submission_benchmark", benchmark, start - 5000)
        + "0: " + event("run_start", None, start)
        + "0: " + event("run_stop", None, stop, {"status": status})
    )  # fmt: skip


def detail_log(begin, end, scenario="Offline", queries=1, samples_per_query=1):
    return (
        event("effective_scenario", scenario, 0.02)
        + event("effective_samples_per_query", samples_per_query, 0.02)
        + event("power_begin", begin, 100.0)
        + event("power_end", end, 100.0)
        + event("result_query_count", queries, 101.0)
    )
