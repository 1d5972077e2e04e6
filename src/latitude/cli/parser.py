"""The parser of all commands: help that fits a screen, errors in one line with the nearest word."""

import argparse
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from latitude._core import InputError
from latitude._version import __version__
from latitude.cli.command import add_command
from latitude.cli.commands import SUMMARIES, command


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, like every other error."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # `-3us` is a negative time, and refused as such, not an option.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def error(self, message: str) -> NoReturn:
        # argparse names the option, and so does what takes its value from other places, too.
        once = re.sub(r"^(argument --([\w-]+): )\2: ", r"\1", message)
        raise InputError(f"{once} (see `{self.prog} --help`)")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Names the choice that was probably meant, where there is one."""
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        meant = _nearest(str(value), choices)
        advice = f"did you mean '{meant}'?" if meant else f"choose from {', '.join(choices)}"
        raise argparse.ArgumentError(action, f"invalid choice: '{value}'; {advice}")

    def _get_value(self, action: argparse.Action, text: str) -> Any:
        """Refuses an empty value, which mostly comes from a shell's variable that is not set."""
        if not text and (action.option_strings or action.type is Path):
            raise argparse.ArgumentError(action, "is empty; give a value or leave it out")
        return super()._get_value(action, text)

    def refuse_unknown(self, words: Sequence[str]) -> None:
        """InputError when words are left that no option takes."""
        if not words:
            return
        options = [word.partition("=")[0] for word in words if word.startswith("--")]
        meant = (_nearest(option, self._option_string_actions) for option in options)
        found = ", ".join(filter(None, meant))
        advice = f"; did you mean {found}?" if found else ""
        self.error(f"unrecognized arguments: {' '.join(words)}{advice}")


def _nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like this one, where one is alike."""
    import difflib  # noqa: PLC0415 - for errors only

    return next(iter(difflib.get_close_matches(word, list(known), 1)), None)


def build_parser(*chosen: str) -> Parser:
    """The parser of all commands.

    Args:
        chosen: the commands whose options are declared; their modules alone are imported.
    """
    parser = Parser(
        prog="latitude",
        description="How much network latency a parallel program tolerates.",
        epilog="Start with `latitude demo`; `latitude help COMMAND` explains a command. Exit "
        "status: 0 when the work is done, 2 when input or options are wrong, 70 when Latitude "
        "itself is at fault.",
        usage="%(prog)s COMMAND ...",
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="version", version=f"latitude {__version__}")
    below = parser.add_subparsers(
        metavar="COMMAND", required=True, parser_class=Parser, prog="latitude"
    )
    for name, summary in SUMMARIES.items():
        if name in chosen:
            add_command(below, name, command(name), "command", help=summary)
        else:
            below.add_parser(name, help=summary, add_help=False)
    return parser
