"""Caps by the command `nvidia-smi`, optionally run by `sudo -n`, so that only this command needs root.

Columns and messages follow `nvidia-smi --help-query-gpu` and the driver: a denied request ends in "Insufficient
Permissions", a missing value is `[N/A]`.
"""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Sequence

from collectors.power_cap.board import Board, CapDenied, CapFailed

_FIELDS = "index,uuid,name,power.limit,power.min_limit,power.max_limit,persistence_mode"
_PATIENCE_S = 60.0


class NvidiaSmi:
    """See `board.CapLibrary`. `command` is the program with its leading arguments."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = tuple(command)

    def boards(self) -> list[Board]:
        """Return the GPUs of this node that support power management."""
        text = self._call(f"--query-gpu={_FIELDS}", "--format=csv,noheader,nounits")
        rows = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines()) if row]
        return [board for row in rows if (board := _board(row)) is not None]

    def set(self, uuid: str, cap_w: float) -> None:
        """Cap one GPU. [W]"""
        self._call("-i", uuid, "-pl", f"{cap_w:g}")

    def close(self) -> None:
        """Do nothing: no connection is kept open."""

    def _call(self, *options: str) -> str:
        try:
            done = subprocess.run(  # noqa: S603
                [*self.command, *options], capture_output=True, text=True, timeout=_PATIENCE_S, check=False
            )
        except OSError as error:
            hint = "--simulated sweeps the simulated node instead"
            raise CapFailed(f"{self.command[0]}: {error.strerror}", hint, "no_nvidia_smi") from None
        except subprocess.TimeoutExpired:
            raise CapFailed(f"{self.command[0]} does not respond") from None
        if done.returncode == 0:
            return done.stdout
        output = " ".join((done.stdout + done.stderr).split())[:300] or f"exit status {done.returncode}"
        kind = CapDenied if "permission" in output.lower() or "password" in output.lower() else CapFailed
        raise kind(f"{' '.join(self.command)}: {output}", HOW_TO_ALLOW if kind is CapDenied else "")


HOW_TO_ALLOW = (
    "run as root, or allow only this command: a sudoers line `USER ALL=(root) NOPASSWD: /usr/bin/nvidia-smi` and "
    '--nvidia-smi "sudo -n nvidia-smi"'
)


def _board(row: Sequence[str]) -> Board | None:
    try:
        index, uuid, name, cap, least, most, persistence = row
    except ValueError:
        raise CapFailed(f"nvidia-smi: {len(row)} columns instead of 7: {', '.join(row)[:200]}") from None
    try:
        return Board(int(index), uuid, name, float(cap), float(least), float(most), persistence == "Enabled")
    except ValueError:  # [N/A], [Not Supported]
        return None
