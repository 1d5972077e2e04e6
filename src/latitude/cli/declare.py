"""Declares options to argparse, and turns parsed arguments into objects of the options' class."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from latitude._core import InputError
from latitude.cli.parser import CommandParser
from latitude.cli.topics import TOPICS, Topic
from latitude.units.options import REST, Option, options_of

Declared = TypeVar("Declared")


def declare(parser: CommandParser, declared: type) -> None:
    """Gives a parser the options of a class."""
    found = list(options_of(declared))
    groups: dict[str, argparse._ActionsContainer] = {"": parser}
    own = [option.topic for _, option, _ in found if option.topic not in TOPICS]
    shared = {option.topic for _, option, _ in found}
    for topic in [*filter(None, dict.fromkeys(own)), *(each for each in TOPICS if each in shared)]:
        known = TOPICS.get(topic, Topic(topic))
        groups[topic] = parser.add_argument_group(known.title, known.description)
        parser.topics[known.title] = topic
    alternatives: dict[tuple[str, str], argparse._ActionsContainer] = {}
    for name, option, default in found:
        group = groups[option.topic]
        if option.alternative:
            key = (option.topic, option.alternative)
            if key not in alternatives:
                alternatives[key] = group.add_mutually_exclusive_group(required=option.required)
            group = alternatives[key]
        _add(group, name, option, default)
        if option.often:
            parser.often.add(name)


def as_declared(arguments: argparse.Namespace, declared: type[Declared]) -> Declared:
    """The parsed arguments as an object of the class."""
    return declared(**{name: getattr(arguments, name) for name, _, _ in options_of(declared)})


def _add(group: argparse._ActionsContainer, name: str, option: Option, default: Any) -> None:
    more: dict[str, Any] = {"help": option.help.replace("%", "%%")}
    if option.switch:
        more["action"] = "store_true"
    else:
        more["type"] = _reader(option.parse)
        more["default"] = [] if option.repeated else default
        if option.form is not None:
            more["metavar"] = option.form
        if option.choices:
            more["choices"] = option.choices
        if option.repeated:
            more["action"] = "append"
    if option.positional:
        del more["default"]
        if option.count is not None:
            more["nargs"] = argparse.REMAINDER if option.count == REST else option.count
        group.add_argument(name, **more)
        return
    if option.required and not option.alternative:
        more["required"] = True
    group.add_argument(option.typed(name), dest=name, **more)


def _reader(parse: Callable[[str], Any] | None) -> Callable[[str], Any] | None:
    """A parser for argparse, which shows the parser's own message after the option's name."""
    if parse is None or parse is Path:
        return parse

    def read(text: str) -> Any:
        try:
            return parse(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read
