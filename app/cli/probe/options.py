"""The options of `wattline probe`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Url = Annotated[
    str,
    typer.Argument(
        help="snmp://HOST, modbus://HOST?unit=N, modbus+serial:///dev/NAME?unit=N, http://HOST:PORT/PATH, "
        "redfish://HOST, ipmi://HOST, scpi://HOST:PORT or vxi11://HOST"
    ),
]
Profile = Annotated[
    str, typer.Option(help="Profile to read the device with, by name or as ./NAME.toml (default: identify it).")
]
User = Annotated[str, typer.Option(help="User of the web interface or BMC.")]
Password = Annotated[str, typer.Option(help="Password of the user: env:NAME or file:PATH.")]
Ca = Annotated[str, typer.Option(help="CA file to check its certificate with.")]
Insecure = Annotated[bool, typer.Option("--insecure", help="Do not check its certificate.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Explore = Annotated[
    bool,
    typer.Option("--explore", help="List and recognize what no profile reads (SNMP objects, Modbus registers)."),
]
Registers = Annotated[str, typer.Option(help="Registers to explore: FIRST-LAST.")]
Amps = Annotated[
    float | None, typer.Option(help="Largest line current that the meter displays: the scale of integers.", min=0)
]
Seconds = Annotated[
    float, typer.Option(help="Time between the two readings of an exploration; counters need load and time.", min=0)
]
Draft = Annotated[Path | None, typer.Option(help="Write a profile draft to this file.")]
