"""A parser with one-line errors, which name the nearest word, and with help that fits a screen."""

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from latitude._core import InputError
from latitude.cli.short_help import print_topic, short_help

_ELSEWHERE = {"compare": "analyze --compare"}
"""Words that people type as commands, with the right command."""


class Parser(argparse.ArgumentParser):
    """Reports errors in one line, like the rest of Latitude."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # `-3us` is a negative time, and rejected as a time, not as an option.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def error(self, message: str) -> NoReturn:
        # argparse names the option, and so do some parsers of values: one name is enough.
        once = re.sub(r"^(argument --([\w-]+): )\2: ", r"\1", message)
        raise InputError(f"{once} (see `{self.prog} --help`)")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Names the choice that was probably meant, if one is similar."""
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        meant = _ELSEWHERE.get(str(value)) if "analyze" in choices else None
        meant = meant or _nearest(str(value), choices)
        advice = f"did you mean '{meant}'?" if meant else f"choose from {', '.join(choices)}"
        raise argparse.ArgumentError(action, f"invalid choice: '{value}'; {advice}")

    def _get_value(self, action: argparse.Action, text: str) -> Any:
        """Rejects an empty value, which mostly comes from an unset shell variable."""
        if not text and (action.option_strings or action.type is Path):
            raise argparse.ArgumentError(action, "is empty; give a value or leave it out")
        return super()._get_value(action, text)

    def refuse_unknown(self, words: Sequence[str]) -> None:
        """Raises InputError if no option takes some of the words."""
        if not words:
            return
        options = [word.partition("=")[0] for word in words if word.startswith("--")]
        meant = (_nearest(option, self._option_string_actions) for option in options)
        found = ", ".join(filter(None, meant))
        advice = f"; did you mean {found}?" if found else ""
        self.error(f"unrecognized arguments: {' '.join(words)}{advice}")


class _Help(argparse.Action):
    """Handles `--help`, `--help TOPIC` and `--help all`."""

    def __init__(
        self,
        option_strings: list[str],
        dest: str,  # noqa: ARG002 - as argparse calls it
        topics: Mapping[str, str],
        **more: Any,
    ) -> None:
        self._topics = topics
        super().__init__(
            option_strings,
            dest=argparse.SUPPRESS,
            default=argparse.SUPPRESS,
            nargs="?",
            metavar="TOPIC",
            **more,
        )

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        del namespace, option_string
        if values is None:
            parser.print_help()
        else:
            print_topic(parser, self._topics, values)
        parser.exit()


class CommandParser(Parser):
    """The parser of one command, with short help; `--help TOPIC` shows one part of the help."""

    def __init__(self, **options: Any) -> None:
        super().__init__(add_help=False, **options)
        self.topics: dict[str, str] = {}
        """The word that `--help` takes for each part of the help, by the part's title."""
        self.often: set[str] = set()
        """Names of options that the short help shows although it lists only their topic."""
        self.add_argument(
            "-h", "--help", action=_Help, topics=self.topics, help="show this help, or a topic's"
        )

    def format_help(self) -> str:
        return short_help(self, self.topics, self.often)


def _nearest(word: str, known: Iterable[str]) -> str | None:
    """The most similar known word, if one is similar enough."""
    import difflib  # noqa: PLC0415 - for errors only

    return next(iter(difflib.get_close_matches(word, list(known), 1)), None)
