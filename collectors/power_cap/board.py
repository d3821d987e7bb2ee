"""The GPUs whose power may be capped, and what may be asked of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from collectors.errors import ConfigError, DeviceError


class CapDenied(DeviceError):
    """The driver lets nobody but root set a cap."""

    code = "cap_denied"


class CapFailed(DeviceError):
    """A cap could not be read or set."""

    code = "cap_failed"


@dataclass(frozen=True)
class Board:
    """One GPU: the cap in force and the range that it accepts. [W]

    `kept` is whether the driver keeps a cap while nobody uses the GPU (persistence mode).
    """

    index: int
    uuid: str
    name: str
    cap_w: float
    min_w: float
    max_w: float
    kept: bool = True

    @property
    def title(self) -> str:
        """How a message names it."""
        return f"GPU {self.index} ({self.name})"


class CapLibrary(Protocol):
    """Who reads and sets caps: NVML, or the nvidia-smi command. Every call raises CapDenied or CapFailed."""

    def boards(self) -> Sequence[Board]:
        """The GPUs of this node."""

    def set(self, uuid: str, cap_w: float) -> None:
        """Cap one GPU. [W]"""

    def close(self) -> None:
        """Let go of the driver."""


def chosen(boards: Sequence[Board], which: str) -> list[Board]:
    """The boards of `all`, or of indices such as `0,1`.

    Raises
    ------
    ConfigError
        No GPU, one that is not there, or something that is no index.
    """
    there = {board.index: board for board in boards}
    if not there:
        raise ConfigError("this node has no GPU", "--simulated sweeps the simulated node instead", "no_gpu")
    if which == "all":
        return list(boards)
    try:
        wanted = list(dict.fromkeys(int(part) for part in which.split(",")))
    except ValueError:
        raise ConfigError(f"--gpu {which!r} is not a list of indices", "write it like --gpu 0,1 or --gpu all") from None
    missing = [index for index in wanted if index not in there]
    if missing:
        listed = ", ".join(str(index) for index in there)
        raise ConfigError(f"there is no GPU {missing[0]}", f"this node has {listed}", "no_such_gpu")
    return [there[index] for index in wanted]


def check_range(caps_w: Iterable[float], boards: Sequence[Board]) -> None:
    """Refuse caps that a board does not accept.

    Raises
    ------
    ConfigError
        At least one; all of them and the range of each board are named.
    """
    caps = list(caps_w)
    bad = [f"{cap:g}" for cap in caps if any(not board.min_w <= cap <= board.max_w for board in boards)]
    if bad:
        accepted = dict.fromkeys(f"{board.name} {board.min_w:g}–{board.max_w:g} W" for board in boards)
        what = "cap" if len(bad) == 1 else "caps"
        raise ConfigError(
            f"{what} {', '.join(bad)} W outside what the GPUs accept", f"accepted: {'; '.join(accepted)}", "cap_range"
        )
