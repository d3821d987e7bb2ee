"""BMCs over IPMI: the power reading of DCMI, and Lenovo's energy counter."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from collectors.contract import NAN, Frame, Layout, Series, wall_clock_ms
from collectors.device import Clock, Poll, PolledDevice
from collectors.errors import BadAnswer, Unidentified, Unreachable
from collectors.profiles import DcmiCommand, IpmiProfile, IpmiValue, decode
from collectors.protocols.ipmi.tools import IpmiTools, PowerReading

_NETWORK_FUNCTION, _COMMAND, _ENERGY = 0x3A, 0x32, (4, 2, 0, 0, 0)


class IpmiDriver:
    """One BMC. See `collectors.device.device.Driver`."""

    vendor = ""
    model = ""

    def __init__(self, device: PolledDevice, profile: IpmiProfile, clock: Clock = wall_clock_ms) -> None:
        self._device = device
        self._profile = profile
        self._clock = clock
        self._tools: IpmiTools | None = None
        self._values: list[IpmiValue] = []
        self._layout: Layout | None = None
        self._missing: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Values of the profile that the BMC does not report."""
        return self._missing

    async def open(self) -> None:
        """Read once to discover the values of the BMC."""
        self._tools = IpmiTools(self._device)
        reported, reading = await self._ask(self._tools)
        if not reported:
            raise BadAnswer(
                f"{self._device.address.url} reports no power", "does the BMC measure it?", "nothing_to_read"
            )
        lines = [(points.point, value) for points in self._profile.points for value in points.values]
        self._missing = tuple(f"{point}:{value.quantity}" for point, value in lines if value.reading not in reported)
        self._values = [value for _, value in lines if value.reading in reported]
        over = f"{reading.period_s:g} s" if reading.period_s else "the time since the BMC last reset it"
        series = (
            Series(
                point,
                value.quantity,
                resolution=value.resolution,
                accuracy_pct=self._profile.limit_pct(value),
                accuracy_abs=value.limit_abs,
                signed=value.signed,
                sensor=value.sensor.replace("{period}", over),
            )
            for point, value in lines
            if value.reading in reported
        )
        interval_s = self._profile.group_interval_s("main", self._device.interval_s)
        meter = f"{self._profile.vendor} {self._profile.name}"
        self._layout = Layout(self._device.key, "main", round(1000 * interval_s), tuple(series), meter=meter)

    async def close(self) -> None:
        """Forget the tool; no connection stays open between polls."""
        self._tools = None

    def layouts(self) -> list[Layout]:
        """Return one layout."""
        return [self._layout] if self._layout else []

    async def read(self, groups: Collection[str]) -> Poll:
        """Run the tool once (twice with an energy counter)."""
        if self._tools is None or self._layout is None:
            raise Unreachable(f"{self._device.address.url} is not open", code="not_open")
        if self._layout.group not in groups:
            return Poll()
        start_ms = self._clock()
        reported, _ = await self._ask(self._tools)
        t_ms = (start_ms + self._clock()) // 2
        row = tuple(decode(value, reported.get(value.reading, NAN)) for value in self._values)
        return Poll([Frame(self._layout, t_ms, row)])

    async def _ask(self, tools: IpmiTools) -> tuple[dict[DcmiCommand, float], PowerReading]:
        wanted = {value.reading for points in self._profile.points for value in points.values}
        reported: dict[DcmiCommand, float] = {}
        if DcmiCommand.ENERGY in wanted and (energy_j := await _energy_j(tools)) is not None:
            reported[DcmiCommand.ENERGY] = energy_j
        reading = await tools.power()
        reported |= {
            kind: watts
            for kind, watts in ((DcmiCommand.INSTANT, reading.instant_w), (DcmiCommand.AVERAGE, reading.average_w))
            if watts is not None
        }
        return reported, reading


async def identify_ipmi(device: PolledDevice, profiles: Iterable[IpmiProfile]) -> IpmiProfile:
    """Return the profile of the BMC's vendor, else the general one.

    Raises
    ------
    Unidentified
        There is no general profile.
    ConfigError, Unreachable, AccessDenied, BadAnswer
    """
    maker = await IpmiTools(device).manufacturer()
    for profile in sorted(profiles, key=lambda p: not p.identify.manufacturers):
        if not profile.identify.manufacturers or maker in profile.identify.manufacturers:
            return profile
    raise Unidentified(f"no profile fits the BMC at {device.address.url} of manufacturer {maker}", "name the profile")


async def _energy_j(tools: IpmiTools) -> float | None:
    """Return the energy of the node [J]; None if the BMC does not report it.

    The request, and the answer of whole joules (32 bits) and millijoules (16 bits) from the third byte on, are those of
    Lenovo's own client: https://opendev.org/x/pyghmi (pyghmi/ipmi/oem/lenovo/energy.py, get_fapm_energy).
    """
    try:
        answer = await tools.raw(_NETWORK_FUNCTION, _COMMAND, *_ENERGY)
    except BadAnswer:
        return None
    if len(answer) < 8:
        return None
    return int.from_bytes(answer[2:6], "little") + int.from_bytes(answer[6:8], "little") / 1000
