"""Help that fits on a screen: the most frequent options, and topics for the rest."""

import argparse
import sys
import textwrap
from collections.abc import Collection, Iterable, Mapping

from latitude._core import InputError
from latitude.cli.topics import TOPICS

ALL = "all"
_FEW = 16
"""Largest number of options that a short help lists in full."""
_WIDTH = 76


def short_help(
    parser: argparse.ArgumentParser, topics: Mapping[str, str], often: Collection[str]
) -> str:
    """All options if the command has few; otherwise frequent options, and the names of the rest.

    Args:
        parser: the command's parser.
        topics: the word that `--help` takes for each part of the help, by the part's title.
        often: names of options to show from topics that are only listed.
    """
    optional = [action for action in parser._actions if action.option_strings]  # noqa: SLF001
    folds = len(optional) > _FEW
    formatter = parser._get_formatter()  # noqa: SLF001
    formatter.add_usage(_usage(parser), [], [])
    formatter.add_text(parser.description)
    needed: list[argparse.Action] = []
    rest = []
    for group in parser._action_groups:  # noqa: SLF001
        actions = group._group_actions  # noqa: SLF001
        topic = topics.get(group.title or "")
        if not folds or topic not in TOPICS:
            _add_section(formatter, group.title, group.description, actions)
            continue
        needed += [action for action in actions if action.dest in often]
        rest.append((topic, [each for each in actions if each.dest not in often]))
    _add_section(formatter, "options that most people need", None, needed)
    text = formatter.format_help()
    return text + _named(parser.prog, [each for each in rest if each[1]]) if rest else text


def print_topic(parser: argparse.ArgumentParser, topics: Mapping[str, str], topic: str) -> None:
    """Prints one topic in full, or all topics, with `topics` from `short_help`.

    InputError: the command has no such topic.
    """
    if topic != ALL and topic not in topics.values():
        known = ", ".join([*topics.values(), ALL])
        raise InputError(f"--help: '{topic}' is not a topic of {parser.prog}; choose from {known}")
    formatter = parser._get_formatter()  # noqa: SLF001
    formatter.add_usage(_usage(parser), [], [])
    for group in parser._action_groups:  # noqa: SLF001
        if topic in (ALL, topics.get(group.title or "")):
            _add_section(formatter, group.title, group.description, group._group_actions)  # noqa: SLF001
    sys.stdout.write(formatter.format_help())


def _add_section(
    formatter: argparse.HelpFormatter,
    title: str | None,
    description: str | None,
    actions: Iterable[argparse.Action],
) -> None:
    formatter.start_section(title)
    formatter.add_text(description)
    formatter.add_arguments(actions)
    formatter.end_section()


def _named(program: str, topics: list[tuple[str, list[argparse.Action]]]) -> str:
    """The names of options by topic."""
    lines = [f"\nmore options by topic, explained by `{program} --help TOPIC`:"]
    for topic, actions in topics:
        names = ", ".join(action.option_strings[-1] for action in actions)
        indent = " " * 14
        lines.append(
            textwrap.fill(
                names,
                _WIDTH,
                initial_indent=f"  {topic:<12}",
                subsequent_indent=indent,
                break_on_hyphens=False,
            )
        )
    return "\n".join([*lines, f"  {ALL:<12}explains every option", ""])


def _usage(parser: argparse.ArgumentParser) -> str:
    """Required options, and arguments."""
    words = ["%(prog)s"]
    actions = parser._actions  # noqa: SLF001
    words += [
        f"{action.option_strings[-1]} {action.metavar}"
        for action in actions
        if action.option_strings and action.required
    ]
    for group in parser._mutually_exclusive_groups:  # noqa: SLF001
        if group.required:
            forms = (
                f"{each.option_strings[-1]} {each.metavar or ''}".strip()
                for each in group._group_actions  # noqa: SLF001
            )
            words.append(f"({' | '.join(forms)})")
    words.append("[OPTIONS]")
    forms_of = {"None": "{0}", "?": "[{0}]", "+": "{0} [{0} ...]", argparse.REMAINDER: "-- {0} ..."}
    for action in actions:
        if not action.option_strings:
            words.append(forms_of.get(str(action.nargs), "{0} ...").format(action.metavar))
    return " ".join(words).replace("%", "%%").replace("%%(prog)s", "%(prog)s")
