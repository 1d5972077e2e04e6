"""Commands, and commands that hold other commands."""

import argparse
from typing import Any, ClassVar, Protocol

from latitude.cli.declare import as_declared, declare
from latitude.cli.parser import CommandParser
from latitude.units.options import Options


class Command(Protocol):
    """A command: its help, its options, its work."""

    description: str
    """Beginning of the output of `latitude NAME --help`."""
    example: str
    """An example line, shown below the description."""

    @property
    def options(self) -> type[Options]:
        """The class of the argument of `run`."""

    def run(self, arguments: Any) -> None:
        """Does the command's work. InputError: the input or the options are wrong."""


class Action(Command, Protocol):
    """A command below another command, with its own name."""

    name: str
    summary: str
    """One line for the help of the command above."""


class Group:
    """A command that holds other commands."""

    options = Options
    actions: ClassVar[tuple[Action, ...]]
    hidden: ClassVar[tuple[Action, ...]] = ()

    def run(self, arguments: Any) -> None:
        """Never called, because the chosen action runs."""
        raise NotImplementedError(arguments)


def add_command(
    below: "argparse._SubParsersAction[CommandParser]", name: str, command: Command, **shown: Any
) -> None:
    """Declares one command among others, and its actions.

    Args:
        below: the other commands.
        name: name on the command line.
        command: the command, which parsed arguments hold as `command`.
        shown: `help`, unless the command is hidden because only other parts of Latitude call this
            command.
    """
    parser = below.add_parser(
        name,
        description=f"{command.description}\n\n  {command.example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        **shown,
    )
    declare(parser, command.options)
    parser.set_defaults(command=command, parser=parser)
    if isinstance(command, Group):
        actions = parser.add_subparsers(
            metavar="ACTION", required=True, parser_class=CommandParser, prog=parser.prog
        )
        for action in command.actions:
            add_command(actions, action.name, action, help=action.summary)
        for action in command.hidden:
            add_command(actions, action.name, action)


def run_command(arguments: argparse.Namespace) -> None:
    """Runs the chosen command."""
    command: Command = arguments.command
    command.run(as_declared(arguments, command.options))
