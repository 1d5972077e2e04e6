"""What a command is, and one that holds others."""

import argparse
from typing import Any, ClassVar, Protocol

from latitude.cli.short_help import ShortHelp


class Command(Protocol):
    """A command: its help, its options, its work."""

    description: str
    """What `latitude NAME --help` begins with."""
    example: str
    """A line that does something, shown below it."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work; InputError when the input or the options are wrong."""


class Action(Command, Protocol):
    """A command below another one, which knows its own name."""

    name: str
    summary: str
    """One line for the help of the command above."""


def add_command(
    below: "argparse._SubParsersAction[Any]", name: str, command: Command, what: str, **shown: Any
) -> None:
    """Declares one command among others.

    Args:
        below: the others.
        name: by which it is called.
        command: what it does.
        what: under which name the parsed arguments hold the command that was chosen.
        shown: `help`, unless it is hidden: what other parts of the program call.
    """
    parser = below.add_parser(
        name,
        description=f"{command.description}\n\n  {command.example}",
        formatter_class=ShortHelp,
        allow_abbrev=False,
        **shown,
    )
    command.add_arguments(parser)
    parser.set_defaults(**{what: command}, parser=parser)


class Group:
    """A command that holds others."""

    actions: ClassVar[tuple[Action, ...]]
    hidden: ClassVar[tuple[Action, ...]] = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its actions."""
        below = parser.add_subparsers(
            metavar="ACTION", required=True, parser_class=type(parser), prog=parser.prog
        )
        for action in self.actions:
            add_command(below, action.name, action, "action", help=action.summary)
        for action in self.hidden:
            add_command(below, action.name, action, "action")

    def run(self, arguments: argparse.Namespace) -> None:
        """Does the chosen one's work."""
        action: Command = arguments.action
        action.run(arguments)
