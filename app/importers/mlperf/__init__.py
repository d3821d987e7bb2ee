"""MLPerf result folders and their logs."""

from __future__ import annotations

from app.importers.mlperf import ptdaemon, training
from app.importers.mlperf.folder import RunFolder, files_of, find_runs, key_of
from app.importers.mlperf.run import CLUSTER, read_run

__all__ = ["CLUSTER", "RunFolder", "files_of", "find_runs", "key_of", "ptdaemon", "read_run", "training"]
