"""GPUs whose power can be capped, and the interface of libraries that cap them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from collectors.errors import ConfigError, DeviceError


class CapDenied(DeviceError):
    """The driver allows only root to set a cap."""

    code = "cap_denied"


class CapFailed(DeviceError):
    """A cap could not be read or set."""

    code = "cap_failed"


@dataclass(frozen=True)
class Board:
    """One GPU with its current cap and the accepted range. [W]

    `kept`: the driver keeps a cap while no process uses the GPU (persistence mode).
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
        """Return its name in messages."""
        return f"GPU {self.index} ({self.name})"


class CapLibrary(Protocol):
    """Reads and sets caps by NVML or the nvidia-smi command. Calls raise CapDenied or CapFailed."""

    def boards(self) -> Sequence[Board]:
        """Return the GPUs of this node."""

    def set(self, uuid: str, cap_w: float) -> None:
        """Cap one GPU. [W]"""

    def close(self) -> None:
        """Release the driver."""


def chosen(boards: Sequence[Board], which: str) -> list[Board]:
    """Select boards by `all` or by indices such as `0,1`.

    Raises
    ------
    ConfigError
        The node has no GPU, an index does not exist, or `which` is invalid.
    """
    there = {board.index: board for board in boards}
    if not there:
        raise ConfigError("this node has no GPU", "--simulated sweeps the simulated node instead", "no_gpu")
    if which == "all":
        return list(boards)
    try:
        wanted = list(dict.fromkeys(int(part) for part in which.split(",")))
    except ValueError:
        raise ConfigError(f"--gpu {which!r} is not a list of indices", "expected: --gpu 0,1 or --gpu all") from None
    missing = [index for index in wanted if index not in there]
    if missing:
        listed = ", ".join(str(index) for index in there)
        raise ConfigError(f"there is no GPU {missing[0]}", f"this node has {listed}", "no_such_gpu")
    return [there[index] for index in wanted]


def check_range(caps_w: Iterable[float], boards: Sequence[Board]) -> None:
    """Check that every board accepts every cap.

    Raises
    ------
    ConfigError
        Some are out of range; the message lists them and the range of each board.
    """
    caps = list(caps_w)
    bad = [f"{cap:g}" for cap in caps if any(not board.min_w <= cap <= board.max_w for board in boards)]
    if bad:
        accepted = dict.fromkeys(f"{board.name} {board.min_w:g}–{board.max_w:g} W" for board in boards)
        what = "cap" if len(bad) == 1 else "caps"
        raise ConfigError(
            f"{what} {', '.join(bad)} W outside the range of the GPUs", f"accepted: {'; '.join(accepted)}", "cap_range"
        )
