"""Meter logs of other tools: bytes in, columns in base units and UTC out.

Each module reads one format and nothing else; `detect` tells them apart, `mlperf_run` finds the runs of a folder.
A row that cannot be believed is left out and counted under a reason of `log.REASONS`, never repaired.
"""
