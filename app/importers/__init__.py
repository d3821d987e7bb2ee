"""Meter logs of other tools: bytes in, columns in base units and UTC out.

Each module reads one format and nothing else; `detect` distinguishes them, `mlperf.run` finds the runs of a folder.
A row that is not plausible is skipped and counted under a reason of `log.REASONS`, never repaired.
"""
