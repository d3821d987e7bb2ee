"""One command at many power caps: the options."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.terminal import SERVER, Token, Url, Within

commands = typer.Typer()


@commands.command(name="sweep", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def sweep_caps(
    command: Annotated[list[str] | None, typer.Argument(help="-- CMD…")] = None,
    caps_text: Annotated[str, typer.Option("--caps", help="Watts per GPU: 100:260:10 or 150,200,250.")] = "",
    repeat: Annotated[int, typer.Option(help="Runs at each cap.")] = 1,
    gpu: Annotated[str, typer.Option(help="Which GPUs are capped: 0,1 or all.")] = "all",
    name: Annotated[str | None, typer.Option(help="Name of the study (default: the command).")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="k=v, repeatable.")] = None,
    node: Annotated[str | None, typer.Option(help="The node it runs on (default: this host's name).")] = None,
    within: Within = "",
    reference: Annotated[float, typer.Option(help="Cap to compare with (default: the highest).")] = 0.0,
    shuffle: Annotated[bool, typer.Option("--shuffle", help="In random order, by a seed that is told.")] = False,
    seed: Annotated[int | None, typer.Option(help="The seed of --shuffle.")] = None,
    cooldown: Annotated[float, typer.Option(min=0, help="Seconds of rest after each run.")] = 5.0,
    warmup: Annotated[bool, typer.Option("--warmup", help="Run once before, uncounted.")] = False,
    stop_on_failure: Annotated[bool, typer.Option("--stop-on-failure", help="End at the first failed run.")] = False,
    nvidia_smi: Annotated[str, typer.Option(help='Set caps through this, e.g. "sudo -n nvidia-smi" (NVML).')] = "",
    simulated: Annotated[bool, typer.Option("--simulated", help="Sweep the simulated node; no command runs.")] = False,
    restore: Annotated[bool, typer.Option("--restore", help="Set back the caps that a sweep has left.")] = False,
    url: Url = SERVER,
    token: Token = "",
) -> None:
    """Run a command at many power caps, each run a job, and print the study. The former caps are always set back."""
    from app.cli.sweep.work import SweepOptions, restore_caps, run_sweep

    if restore:
        restore_caps(url, token)
        return
    wanted = SweepOptions(
        command=command or [],
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
