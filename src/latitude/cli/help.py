"""`latitude help`: a command, or what several commands share."""

import argparse
from collections.abc import Callable

from latitude._core import InputError
from latitude.cli import options
from latitude.cli.commands import SUMMARIES
from latitude.cli.parser import build_parser
from latitude.cli.short_help import TOPICS

COLLECTIVES = "collectives"
_SHARED: dict[str, Callable[[argparse.ArgumentParser], object]] = {
    "parameters": options.add_parameters,
    "nodes": options.add_nodes,
    "traces": lambda parser: options.add_replay(options.add_graph(parser)),
}
"""What declares the options of each topic."""


class HelpCommand:
    """The same as `--help`, and what there is no room for in it."""

    description = f"""\
Explains a command, as --help after it does, or what several commands share: their options
({", ".join(TOPICS.values())}), and {COLLECTIVES}, the algorithms that --collective takes."""
    example = "latitude help collectives"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "topic", metavar="TOPIC", nargs="*", help="a command, e.g. analyze, or a topic"
        )

    def run(self, arguments: argparse.Namespace) -> None:
        words = arguments.topic
        if not words:
            build_parser().print_help()
        elif words[0] in SUMMARIES:
            build_parser(words[0]).parse_args([*words, "--help"])
        elif len(words) == 1:
            _topic(words[0], arguments.parser).print_help()
        else:
            arguments.parser.refuse_unknown(words)


def _topic(topic: str, parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """One whose help is that of a topic: the options, or the algorithms."""
    shown = argparse.ArgumentParser(
        usage="latitude COMMAND [OPTIONS] ...",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    if topic == COLLECTIVES:
        shown.usage = "latitude COMMAND --collective NAME=ALGORITHM ..."
        shown.epilog = options.algorithms()
    elif topic in _SHARED:
        _SHARED[topic](shown)
    else:
        raise InputError(
            f"'{topic}' is no command and no topic; topics are {', '.join((*_SHARED, COLLECTIVES))}"
            f" (see `{parser.prog} --help`)"
        )
    return shown
