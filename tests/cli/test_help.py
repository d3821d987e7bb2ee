"""`--version`, and help that is printed as it is written."""

from importlib.metadata import version

import pytest
from rich.text import Text
from typer.main import get_command
from typer.testing import CliRunner

from app import cli


def commands(command, name="wattline"):
    yield name, command
    for key, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{name} {key}")


COMMANDS = dict(commands(get_command(cli.app)))


def printed(*arguments):
    answer = CliRunner().invoke(cli.app, list(arguments), env={"COLUMNS": "200"})
    assert answer.exit_code == 0, answer.output
    return answer.output


def test_the_version_is_that_of_the_package():
    assert printed("--version") == f"wattline {version('wattline')}\n"


def test_the_help_of_wattline_describes_it():
    assert "Power telemetry of a data center" in printed("--help")


@pytest.mark.parametrize("name", ["probe", "discover", "record"])
def test_brackets_of_an_option_are_printed(name):
    assert "[auth.KEY]" in printed(name, "--help")


def test_there_are_commands_of_every_level():
    assert {"wattline up", "wattline db stats", "wattline import logs"} <= COMMANDS.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_no_help_is_read_as_markup(name):
    command = COMMANDS[name]
    texts = [command.help, command.epilog, *(getattr(param, "help", None) for param in command.params)]
    texts += [param.metavar for param in command.params]
    for text in filter(None, texts):
        assert Text.from_markup(text).plain == text.replace("\\[", "["), text
