"""`wattline sweep -- CMD`: the options."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.options import SERVER, Token, Url, Within


def command(
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="CMD", help="The command with its arguments, after --.")
    ] = None,
    caps_text: Annotated[str, typer.Option("--caps", help="Watts per GPU: 100:260:10 or 150,200,250.")] = "",
    repeat: Annotated[int, typer.Option(help="Runs at each cap.")] = 1,
    gpu: Annotated[str, typer.Option(help="GPUs to cap: 0,1 or all.")] = "all",
    name: Annotated[str | None, typer.Option(help="Name of the study (default: the command).")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Tag as k=v, repeatable.")] = None,
    node: Annotated[str | None, typer.Option(help="Node it runs on (default: name of this host).")] = None,
    within: Within = "",
    reference: Annotated[float, typer.Option(help="Reference cap (default: the highest).")] = 0.0,
    shuffle: Annotated[bool, typer.Option("--shuffle", help="Run in random order; the seed is printed.")] = False,
    seed: Annotated[int | None, typer.Option(help="The seed of --shuffle.")] = None,
    cooldown: Annotated[float, typer.Option(min=0, help="Seconds to wait after each run.")] = 5.0,
    warmup: Annotated[bool, typer.Option("--warmup", help="Run once before without registering it.")] = False,
    stop_on_failure: Annotated[bool, typer.Option("--stop-on-failure", help="Stop at the first failed run.")] = False,
    nvidia_smi: Annotated[str, typer.Option(help='Command that sets caps, e.g. "sudo -n nvidia-smi" (NVML).')] = "",
    simulated: Annotated[bool, typer.Option("--simulated", help="Sweep the simulated node without a command.")] = False,
    restore: Annotated[bool, typer.Option("--restore", help="Restore the caps after an interrupted sweep.")] = False,
    url: Url = SERVER,
    token: Token = "",
) -> None:
    """Run a command at many power caps, each run as a job, and print the study. The original caps are restored."""
    from app.cli.sweep.work import SweepOptions, restore_caps, run_sweep

    if restore:
        restore_caps(url, token)
        return
    wanted = SweepOptions(
        command=arguments or [],
        caps=caps_text,
        repeats=repeat,
        gpu=gpu,
        name=name,
        tags=tag or [],
        node=node,
        within=within,
        reference_w=reference,
        shuffle=shuffle,
        seed=seed,
        cooldown_s=cooldown,
        warm_up=warmup,
        stop_on_failure=stop_on_failure,
        nvidia_smi=nvidia_smi,
        simulated=simulated,
    )
    raise typer.Exit(run_sweep(wanted, url, token))
