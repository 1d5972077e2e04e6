"""`latitude forecast … --suite variation`."""

import argparse
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from latitude._core import InputError
from latitude.cli import options, progress
from latitude.cli.forecast import loading, random_of
from latitude.files import refuse_existing, write_new
from latitude.forecast import variation, variation_page
from latitude.forecast.random import Random
from latitude.io import load

_WIDTH = 100


def run_suite(arguments: argparse.Namespace) -> None:
    """Runs it for every input, prints Table 4, writes page and data."""
    directory: Path | None = arguments.directory
    files = []
    if directory is not None:
        files = [directory / f"variation.{end}" for end in ("html", "json", "csv")]
        refuse_existing(files, force=arguments.force)
    random = random_of(arguments)
    studies = _studies(arguments, random)
    network = options.network_of(arguments)
    if files:
        contents = (
            variation_page.render(studies, network, random),
            variation_page.to_json(studies, network, random),
            variation_page.to_csv(studies),
        )
        for path, content in zip(files, contents, strict=True):
            write_new(path, content, force=arguments.force)
    _print(studies, files[0] if files else None)


def _studies(arguments: argparse.Namespace, random: Random) -> list[variation.Study]:
    treatments = variation.design(random.latency)
    network = options.network_of(arguments)
    studies: list[variation.Study] = []
    with progress.shown() as display:
        for path in arguments.input:
            program = load(path, **loading(arguments), progress=display)
            studies.append(
                variation.study(
                    program,
                    network,
                    random,
                    treatments,
                    threads=arguments.threads,
                    progress=display,
                )
            )
    names = [study.name for study in studies]
    if len(set(names)) < len(names):
        raise InputError("two inputs have the same name; the tables could not tell them apart")
    return studies


def _print(studies: list[variation.Study], page: Path | None) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_WIDTH)
    console.print(Text(variation_page.headline(studies), style="bold"))
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for index, column in enumerate(variation_page.HEAD):
        table.add_column(Text(column), justify="right" if index else "left")
    for study in studies:
        table.add_row(*map(Text, variation_page.row(study)))
    console.print(table)
    if page is not None:
        console.print()
        console.print(Text.assemble("Open ", (str(page), "bold"), " in a browser."), soft_wrap=True)
