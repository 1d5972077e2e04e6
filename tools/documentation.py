#!/usr/bin/env python3
"""The documentation as a site and as manual pages: `documentation.py DIR`.

DIR/pages has what the site is made of: README, the documentation, what these link to, and the
reference, which is made of the options' declarations and of docstrings. DIR/html is the site,
DIR/man the manual pages. A warning is an error, and so is a link that leads nowhere.
"""

import argparse
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from argparse_manpage.manpage import Manpage
from mkdocs.__main__ import cli

import latitude
from latitude.cli.commands import SUMMARIES, build_parser

ROOT = Path(__file__).parent.parent
BEGINNINGS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")
_LINK = re.compile(r"\]\(([^)#:\s]+)[^)]*\)")


def main() -> int:
    """Writes everything; the exit status is MkDocs'."""
    into = Path(sys.argv[1]).resolve()
    pages = into / "pages"
    shutil.rmtree(into, ignore_errors=True)
    for name in BEGINNINGS:
        _copy(name, pages)
    shutil.copytree(ROOT / "docs", pages / "docs")
    for page in sorted(pages.rglob("*.md")):
        _copy_linked(page, pages)
    parsers = dict(_parsers())
    _write_commands(parsers, pages / "reference" / "commands.md")
    _write_interface(pages / "reference" / "python.md")
    _write_manual(parsers, into / "man")
    settings = into / "mkdocs.yml"
    text = (ROOT / "tools" / "mkdocs.yml").read_text(encoding="utf-8")
    settings.write_text(f"{text}docs_dir: pages\nsite_dir: html\n", encoding="utf-8")
    words = ["build", "--strict", "--config-file", str(settings)]
    return int(cli(words, standalone_mode=False) or 0)


def _copy(name: str, pages: Path) -> None:
    (pages / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / name, pages / name)


def _copy_linked(page: Path, pages: Path) -> None:
    """The files of the project that a page links to: schemas, sources, examples."""
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        name = (page.parent / link).resolve().relative_to(pages)
        if (ROOT / name).is_file() and not (pages / name).exists():
            _copy(str(name), pages)


def _parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Each command's parser and those of its actions, by what is typed."""
    for name in SUMMARIES:
        found = _below(build_parser(name))[name]
        yield name, found
        for action, below in _below(found).items():
            yield f"{name} {action}", below


def _below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Commands below a command that its help names."""
    for action in parser._actions:  # noqa: SLF001 - argparse shows them in no other way
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            named = {choice.dest for choice in action._choices_actions}  # noqa: SLF001
            return {name: found for name, found in action.choices.items() if name in named}
    return {}


def _write_commands(parsers: dict[str, argparse.ArgumentParser], path: Path) -> None:
    """All options of all commands, as their help has them."""
    lines = ["# Commands and options", "", "*Made of what `latitude COMMAND --help` says.*", ""]
    for name, parser in parsers.items():
        description, _, example = (parser.description or "").partition("\n\n  ")
        lines += [f"## latitude {name}", "", _text(description), ""]
        lines += ["```sh", example, "```", ""] if example else []
        for group in parser._action_groups:  # noqa: SLF001
            rows = list(_rows(parser, group))
            if rows:
                lines += [f"**{_text(group.title or '')}**", "", "| | |", "|---|---|", *rows, ""]
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(lines), encoding="utf-8")


def _rows(parser: argparse.ArgumentParser, group: argparse._ArgumentGroup) -> Iterator[str]:
    formatter = parser._get_formatter()  # noqa: SLF001
    for action in group._group_actions:  # noqa: SLF001
        if action.help == argparse.SUPPRESS or isinstance(action, argparse._HelpAction):  # noqa: SLF001
            continue
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for each in action._choices_actions:  # noqa: SLF001
                yield f"| `{each.dest}` | {_text(each.help or '')} |"
            continue
        typed = formatter._format_action_invocation(action)  # noqa: SLF001
        meaning = formatter._expand_help(action) if action.help else ""  # noqa: SLF001
        yield f"| `{typed.replace('|', chr(92) + '|')}` | {_text(meaning)} |"


def _text(words: str) -> str:
    """Words in which Markdown sees nothing but text and code."""
    parts = re.split(r"(`[^`]*`)", " ".join(words.split()))
    plain = (re.sub(r"([\\*_<>\[\]])", r"\\\1", part) for part in parts[::2])
    mixed = [part for pair in zip(plain, [*parts[1::2], ""], strict=True) for part in pair]
    return "".join(mixed).replace("|", "\\|")


def _write_interface(path: Path) -> None:
    """What `import latitude` offers, of its docstrings."""
    names = [name for name in latitude.__all__ if not name.startswith("_")]
    names.sort(key=lambda name: name[0].isupper())  # functions first
    lines = ["# From Python", "", "::: latitude", "    options:", "      members: false", ""]
    for name in names:
        lines += [f"::: latitude.{name}", ""]
    path.write_text("\n".join(lines), encoding="utf-8")


def _write_manual(parsers: dict[str, argparse.ArgumentParser], into: Path) -> None:
    """For `man latitude`, `man latitude-analyze` and so on."""
    into.mkdir()
    for name, parser in {"": build_parser(), **parsers}.items():
        parser.man_short_description = SUMMARIES.get(name, "")  # type: ignore[attr-defined]
        paragraphs = (parser.description or "").split("\n\n")
        parser.description = "\n\n".join(" ".join(each.split()) for each in paragraphs)
        parser.formatter_class = argparse.RawDescriptionHelpFormatter  # whole, unlike the help
        page = "-".join(["latitude", *name.split()])
        parser.prog = page.replace("-", " ")
        made = Manpage(parser, {"manual_title": "Latitude", "version": latitude.__version__})
        (into / f"{page}.1").write_text(f"{made}\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
