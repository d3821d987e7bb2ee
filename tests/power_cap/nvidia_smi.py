"""A scripted nvidia-smi: a program of its own, so that a cap outlives whoever set it, as on a GPU.

It knows the two calls that matter, with the columns and the messages of NVIDIA's: the refusal is as it was seen from
driver 390 on a GTX 1080 without root.
"""

import json
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

_PROGRAM = """#!{python}
import json, sys
from pathlib import Path
path = Path({state!r})
state = json.loads(path.read_text())
arguments = sys.argv[1:]
if arguments[0] == "-i":
    gpu = next(gpu for gpu in state["gpus"] if gpu["uuid"] == arguments[1])
    if not state["allowed"]:
        print("Failed to set power management limit for GPU 0000:01:00.0: Insufficient Permissions")
        print("Terminating early due to previous errors.")
        sys.exit(4)
    if state["stuck"] != gpu["uuid"]:
        gpu["limit"] = float(arguments[3])
    state["set"].append([gpu["uuid"], float(arguments[3])])
    draft = path.with_suffix(".new")
    draft.write_text(json.dumps(state))
    draft.replace(path)
    print("All done.")
else:
    assert arguments == [
        "--query-gpu=index,uuid,name,power.limit,power.min_limit,power.max_limit,persistence_mode",
        "--format=csv,noheader,nounits",
    ], arguments
    for i, gpu in enumerate(state["gpus"]):
        limits = ", ".join("[N/A]" if w is None else f"{{w:.2f}}" for w in (gpu["limit"], gpu["min"], gpu["max"]))
        print(f"{{i}}, {{gpu['uuid']}}, Quadro RTX 6000, {{limits}}, {{state['persistence']}}")
"""


@dataclass(frozen=True)
class Smi:
    """The program and what it keeps."""

    program: Path
    state: Path

    def set(self, **changes) -> None:
        self.state.write_text(json.dumps(self.told() | changes))

    def told(self) -> dict:
        return json.loads(self.state.read_text())

    @property
    def caps(self) -> list[float]:
        return [gpu["limit"] for gpu in self.told()["gpus"]]


def scripted(folder: Path, *limits: float | None) -> Smi:
    """GPUs with these caps, 100 to 260 W."""
    state, program = folder / "gpus.json", folder / "nvidia-smi"
    gpus = [
        {"uuid": f"GPU-{i}", "limit": w, "min": None if w is None else 100.0, "max": None if w is None else 260.0}
        for i, w in enumerate(limits)
    ]
    state.write_text(json.dumps({"gpus": gpus, "allowed": True, "stuck": "", "persistence": "Enabled", "set": []}))
    program.write_text(_PROGRAM.format(python=sys.executable, state=str(state)))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return Smi(program, state)
