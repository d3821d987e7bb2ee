"""Memory and open files of server and collector over time: `python -m tests.torture.soak --seconds 3600`."""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.torture.rig import Rig

MEASURED = ("server", "collector")


def memory_mb(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def open_files(pid):
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def slope_per_hour(at_s, values):
    """The slope of a line through the values and its standard error, by least squares, per hour.

    The error takes the residuals as independent; memory moves in steps, so it is rather too small.
    """
    t, v = np.asarray(at_s) / 3600.0, np.asarray(values, float)
    centered = t - t.mean()
    slope = float(centered @ (v - v.mean()) / (centered @ centered))
    rest = v - v.mean() - slope * centered
    error = float(np.sqrt(rest @ rest / (len(t) - 2) / (centered @ centered)))
    return slope, error


def soak(folder, devices, seconds, warm_up_s, every_s=2.0):
    """Return rows (process, what, first, last, slope per hour and its error, the same of the second half), and the
    frames stored and expected.
    """
    found = {(name, what): [] for name in MEASURED for what in ("memory MB", "open files")}
    at_s = []
    with Rig(folder, devices) as rig:
        rig.until_all_since(0, 400.0)
        time.sleep(warm_up_s)
        began_s = time.time()
        while time.time() < began_s + seconds:
            at_s.append(time.time() - began_s)
            for name in MEASURED:
                pid = rig.processes[name].pid
                found[name, "memory MB"].append(memory_mb(pid))
                found[name, "open files"].append(open_files(pid))
            time.sleep(every_s)
        ended_s = time.time()
        time.sleep(5)
        times = rig.times(round(1000 * began_s))
    stored = sum(sum(t < 1000 * ended_s for t in mine) for mine in times.values())
    half = len(at_s) // 2
    rows = [
        (*key, values[0], values[-1], *slope_per_hour(at_s, values), *slope_per_hour(at_s[half:], values[half:]))
        for key, values in found.items()
    ]
    return rows, stored, round(devices * (ended_s - began_s))


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.torture.soak")
    parser.add_argument("--devices", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--warm-up", type=float, default=300)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        rows, stored, expected = soak(Path(name), given.devices, given.seconds, given.warm_up)
    print(f"{given.devices} devices every second for {given.seconds:g} s after {given.warm_up:g} s: "
          f"{stored} of {expected} polls stored ({100 * stored / expected:.2f} %)")  # fmt: skip
    for name, what, first, last, slope, error, later, later_error in rows:
        print(f"{name:10} {what:10} {first:8.1f} → {last:8.1f}, {slope:+.1f} ± {error:.1f} per hour, "
              f"in the second half {later:+.1f} ± {later_error:.1f}")  # fmt: skip


if __name__ == "__main__":
    main()
