#!/usr/bin/env python3
"""The tables of options in docs/commands/*.md, made of the options' declarations.

`reference.py` writes them between the marks of each page; `reference.py --check` only says, by its
exit status, whether they are up to date.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from latitude.cli.command import Command, Group
from latitude.cli.commands import SUMMARIES, command
from latitude.cli.topics import TOPICS
from latitude.units.options import REST, Option, options_of

PAGES = Path(__file__).parent.parent / "docs" / "commands"
BEGIN, END = "<!-- options: begin -->", "<!-- options: end -->"
_SHARED = ("questions", "network", "nodes", "trace")
"""Topics that the page of `analyze` explains for all commands."""


def main() -> int:
    """Writes the tables, or checks them."""
    checks, status = "--check" in sys.argv, 0
    for name in SUMMARIES:
        page = PAGES / f"{name}.md"
        if not page.is_file():
            continue
        text = page.read_text(encoding="utf-8")
        made = renewed(text, name)
        if text != made and checks:
            print(f"{page}: its options are not those declared; run tools/reference.py")  # noqa: T201
            status = 1
        elif text != made:
            page.write_text(made, encoding="utf-8")
    return status


def renewed(text: str, name: str) -> str:
    """A page with the table of its command."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    made = "\n".join([BEGIN, "## Options", "", *_tables(name), END])
    return f"{before.rstrip()}\n\n{made}{after.rstrip()}\n"


def _tables(name: str) -> Iterator[str]:
    found = command(name)
    if isinstance(found, Group):
        for action in found.actions:
            yield from (f"### latitude {name} {action.name}", "", action.summary + ".", "")
            yield from _table(action, shared=True)
    else:
        yield from _table(found, shared=name != "analyze")


def _table(found: Command, *, shared: bool) -> Iterator[str]:
    """The options of one command, but for those that another page has."""
    every = list(options_of(found.options))
    topics = {option.topic for _, option, _ in every}
    elsewhere = [topic for topic in _SHARED if shared and topic in topics]
    own = [(name, option) for name, option, _ in every if option.topic not in elsewhere]
    if own:
        yield from ("| option | default | meaning |", "|---|---|---|")
        order = {topic: at for at, topic in enumerate(TOPICS)}
        for name, option in sorted(own, key=lambda each: order.get(each[1].topic, -1)):
            default = _text(option.default) or "–"
            yield f"| `{_typed(name, option)}` | {default} | {_meaning(option)} |"
        yield ""
    elif not elsewhere:
        yield from ("It has no options.", "")
    if elsewhere:
        parts = ", ".join(elsewhere)
        yield from (f"The [options of `analyze`](analyze.md#options) on {parts} apply, too.", "")


def _typed(name: str, option: Option) -> str:
    form = option.form or "|".join(map(str, option.choices))
    words = option.typed(name)
    if option.positional:
        words = f"-- {words} …" if option.count == REST else words
    elif not option.switch:
        words += f" {form}"
    return words.replace("|", "\\|")


def _meaning(option: Option) -> str:
    text = _text(re.sub(r" ?\(default: .*\)", "", option.help))
    return f"{text} (required)" if option.required and not option.alternative else text


def _text(words: str) -> str:
    """Words in which Markdown sees nothing but text and code."""
    parts = re.split(r"(`[^`]*`)", " ".join(words.split()))
    plain = (re.sub(r"([\\*_<>\[\]])", r"\\\1", part) for part in parts[::2])
    mixed = [part for pair in zip(plain, [*parts[1::2], ""], strict=True) for part in pair]
    return "".join(mixed).replace("|", "\\|")


if __name__ == "__main__":
    raise SystemExit(main())
