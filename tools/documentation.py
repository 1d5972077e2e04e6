#!/usr/bin/env python3
"""The documentation as a site and as manual pages: `documentation.py DIR [man]`.

DIR/pages has what the site is made of: README, the documentation, what these link to, and the
reference of the Python interface, which is made of docstrings. DIR/html is the site,
DIR/man the manual pages; with `man` there is nothing else. A warning is an error, and so is a link
that leads nowhere.
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
    """Writes the manual pages, and the site unless only those are asked for.

    Returns:
        MkDocs' exit status.
    """
    into = Path(sys.argv[1]).resolve()
    shutil.rmtree(into, ignore_errors=True)
    _write_manual(dict(_parsers()), into / "man")
    return 0 if sys.argv[2:] == ["man"] else _build_site(into)


def _build_site(into: Path) -> int:
    pages = into / "pages"
    for name in BEGINNINGS:
        _copy(name, pages)
    shutil.copytree(ROOT / "docs", pages / "docs")
    for page in sorted(pages.rglob("*.md")):
        _copy_linked(page, pages)
    _write_interface(pages / "reference" / "python.md")
    settings = into / "mkdocs.yml"
    text = (ROOT / "tools" / "mkdocs.yml").read_text(encoding="utf-8")
    text = text.replace("  - Commands: []\n", "".join(_commands(pages)))
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


def _commands(pages: Path) -> Iterator[str]:
    """The part of the site's contents with a page per command."""
    yield "  - Commands:\n"
    for name in SUMMARIES:
        page = Path("docs") / "commands" / f"{name}.md"
        if (pages / page).is_file():
            yield f"      - {name}: {page}\n"


def _write_interface(path: Path) -> None:
    """Writes the page of the names that `import latitude` offers, from their docstrings."""
    names = [name for name in latitude.__all__ if not name.startswith("_")]
    names.sort(key=lambda name: name[0].isupper())  # functions first
    lines = ["# From Python", "", "::: latitude", "    options:", "      members: false", ""]
    for name in names:
        lines += [f"::: latitude.{name}", ""]
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(lines), encoding="utf-8")


def _write_manual(parsers: dict[str, argparse.ArgumentParser], into: Path) -> None:
    """Writes the manual pages for `man latitude`, `man latitude-analyze` and so on."""
    into.mkdir(parents=True)
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
