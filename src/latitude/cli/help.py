"""`latitude help`: a command, one of its topics, or the algorithms of collectives."""

import sys
from dataclasses import dataclass

from latitude import _core
from latitude._core import InputError
from latitude.cli.command import Group
from latitude.cli.commands import SUMMARIES, build_parser, command
from latitude.units.options import Options, argument

COLLECTIVES = "collectives"


@dataclass(kw_only=True)
class HelpOptions(Options):
    """The command or topic to explain."""

    words: list[str] = argument("a command, e.g. analyze, and a topic of it", "TOPIC", count="*")


class HelpCommand:
    """Shows the same as `--help`, and additional topics."""

    description = f"""\
Explains a command, as --help after it does, or one of its topics (latitude help analyze network),
or {COLLECTIVES}: the algorithms that --collective takes."""
    example = "latitude help collectives"
    options = HelpOptions

    def run(self, arguments: HelpOptions) -> None:
        words = arguments.words
        if not words:
            build_parser().print_help()
        elif words[0] in SUMMARIES:
            typed = 2 if isinstance(command(words[0]), Group) else 1
            build_parser(words[0]).parse_args([*words[:typed], "--help", *words[typed:]])
        elif words == [COLLECTIVES]:
            sys.stdout.write(algorithms())
        else:
            raise InputError(
                f"'{' '.join(words)}' is neither a command nor {COLLECTIVES} (see `latitude help`)"
            )


def algorithms() -> str:
    """The values of --collective, the default first."""
    lines = [
        f"  {name:<22}{', '.join(choices)}"
        for name, choices in _core.collective_algorithms().items()
        if len(choices) > 1
    ]
    usage = "usage: latitude COMMAND --collective NAME=ALGORITHM ..."
    return "\n".join([usage, "", "collective algorithms, the default first:", *lines, ""])
