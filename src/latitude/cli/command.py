"""What a subcommand is, and one that holds others."""

import argparse
from collections.abc import Iterable
from typing import Any, ClassVar, Protocol


class Command(Protocol):
    """A subcommand: its name, its help, its options, its work."""

    name: str
    summary: str
    """One line for `latitude --help`."""
    description: str
    """What `latitude NAME --help` begins with."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work; InputError when the input or the options are wrong."""


def add_commands(
    parser: argparse.ArgumentParser,
    commands: Iterable[Command],
    what: str,
    *,
    hidden: Iterable[Command] = (),
) -> None:
    """Declares commands below `parser`, which leaves the chosen one under the name `what`.

    Args:
        parser: of a program, or of a command that holds others.
        commands: in the order of the help.
        what: what they are, in one word.
        hidden: not in the help: what other parts of the program call.
    """
    below = parser.add_subparsers(metavar=what.upper(), required=True, parser_class=type(parser))
    hidden = list(hidden)
    for command in (*commands, *hidden):
        shown: dict[str, Any] = {} if command in hidden else {"help": command.summary}
        subparser = below.add_parser(
            command.name,
            description=command.description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            **shown,
        )
        command.add_arguments(subparser)
        subparser.set_defaults(**{what: command}, parser=subparser)


class Group:
    """A command that holds others."""

    actions: ClassVar[tuple[Command, ...]]
    hidden: ClassVar[tuple[Command, ...]] = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its actions."""
        add_commands(parser, self.actions, "action", hidden=self.hidden)

    def run(self, arguments: argparse.Namespace) -> None:
        """Does the chosen one's work."""
        action: Command = arguments.action
        action.run(arguments)
