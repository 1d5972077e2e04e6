"""Options, each declared once, as a field of a dataclass.

The command line, the keywords of functions and the reference tables follow from these fields.
"""

import dataclasses
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from latitude.units.quantities import MOST, parse_whole

REST = "..."
"""Count of an argument that takes all remaining words, after `--`."""
_DEFAULT = re.compile(r"\(default: (?P<value>.*)\)")


@dataclass(frozen=True, slots=True)
class Option:
    """The notation, parser and help of an option."""

    help: str
    """Effect of the option, with its default in words at the end, `(default: 3us)`."""
    form: str | None = None
    """Placeholder of the value, `TIME`; None for choices and for options without a value."""
    parse: Callable[[str], Any] | None = None
    """Function from text to value, which may raise InputError; None keeps the text."""
    choices: Sequence[str] = ()
    switch: bool = False
    """Whether the option takes no value."""
    repeated: bool = False
    """Whether the option may be given several times; its value is then a list."""
    required: bool = False
    positional: bool = False
    count: str | None = None
    """Number of values of a positional argument, in argparse's notation, or REST; None is one."""
    spelled: str = ""
    """The option as typed, if that is not its field's name: `-o`."""
    alternative: str = ""
    """A word shared by the options of a command that exclude each other."""
    topic: str = ""
    """Topic of the help that explains the option; "" means its class's topic."""
    often: bool = False
    """Whether the short help shows the option, instead of only naming the option's topic."""

    @property
    def default(self) -> str:
        """The default in words; "" if the help has none."""
        stated = _DEFAULT.search(self.help)
        return stated["value"] if stated else ""

    def typed(self, name: str) -> str:
        """The option of the field `name` as typed: `--ranks-per-node`, `-o`, `INPUT`."""
        if self.positional:
            return str(self.form)
        return self.spelled or f"--{name.replace('_', '-')}"


class Options:
    """Base of dataclasses whose fields are options.

    Each class is a topic of the help, or a part of one.
    """

    topic: ClassVar[str] = ""

    def __init_subclass__(cls, topic: str = "") -> None:
        super().__init_subclass__()
        cls.topic = topic


def option(
    help: str,  # noqa: A002 - as argparse calls it
    form: str | None = None,
    parse: Callable[[str], Any] | None = None,
    *,
    default: Any = None,
    **more: Any,
) -> Any:
    """Declares an option that takes a value; `more` are fields of `Option`."""
    declared = {"option": Option(help, form, parse, **more)}
    if more.get("repeated"):
        return field(default_factory=list, metadata=declared)
    return field(default=default, metadata=declared)


def flag(help: str, **more: Any) -> Any:  # noqa: A002 - as argparse calls it
    """Declares an option without a value."""
    return field(default=False, metadata={"option": Option(help, switch=True, **more)})


def argument(
    help: str,  # noqa: A002 - as argparse calls it
    form: str,
    parse: Callable[[str], Any] | None = None,
    **more: Any,
) -> Any:
    """Declares an argument that is recognised by its position."""
    return field(metadata={"option": Option(help, form, parse, positional=True, **more)})


def options_of(declared: type) -> Iterator[tuple[str, Option, Any]]:
    """Name, option and default of each field; a class's own fields come before its bases'.

    Defaults that are made for each object (lists) are returned as None.
    """
    seen = set()
    for kind in declared.__mro__:
        own = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
        for each in own:
            if each.name in vars(kind).get("__annotations__", ()) and each.name not in seen:
                seen.add(each.name)
                if "option" not in each.metadata:
                    continue
                found: Option = each.metadata["option"]
                topic = found.topic or vars(kind).get("topic", "")
                default = None if each.default is dataclasses.MISSING else each.default
                yield each.name, dataclasses.replace(found, topic=topic), default


def taken(declared: type, name: str, value: Any) -> Any:
    """The value of a keyword; a text is parsed by the option with the same name.

    Args:
        declared: class with the option.
        name: name of the option.
        value: text, or a value as from the option's parser; a list of these if it is repeated.

    Raises:
        InputError: the text is invalid; the message is the option's message.
    """
    found = next(option for each, option, _ in options_of(declared) if each == name)
    parse = found.parse
    if parse is None:
        return value
    if found.repeated and not isinstance(value, str):
        return [parse(each) if isinstance(each, str) else each for each in value]
    if isinstance(value, str):
        return [parse(value)] if found.repeated else parse(value)
    return value


def whole(what: str, least: int = 0, most: int = MOST) -> Callable[[str], int]:
    """A parser for an integer of `what`: "a number of nodes", "a seed"."""
    return functools.partial(parse_whole, what=what, least=least, most=most)
