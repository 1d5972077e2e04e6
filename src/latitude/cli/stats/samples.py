"""The samples that a question is about, and where its answer goes."""

import argparse
from pathlib import Path

from latitude.cli import plain_options
from latitude.cli.outputs import Outputs, add_results


def add_samples(parser: argparse.ArgumentParser, how_many: str) -> None:
    """SAMPLES (in words, how many of them), --by, and --unit."""
    parser.add_argument(
        "samples",
        metavar="SAMPLES",
        type=Path,
        nargs="+",
        help=f"files or stores of latency samples: {how_many}",
    )
    parser.add_argument(
        "--by",
        metavar="LABEL",
        action="append",
        default=[],
        help="a group for each value of this label, e.g. collective; may be repeated",
    )
    plain_options.add_unit(parser)


def add_answer(parser: argparse.ArgumentParser, name: str) -> None:
    """Declares where an answer goes; -o writes files of this name."""
    page, document, table = _files(name)
    add_results(parser, f"{page}, {document} and {table}", csv="the table as CSV")


def outputs_of(arguments: argparse.Namespace, name: str) -> Outputs:
    """Where it goes. InputError before the work when something is in the way."""
    return Outputs.of(arguments, *_files(name))


def _files(name: str) -> tuple[str, ...]:
    return tuple(f"{name}.{end}" for end in ("html", "json", "csv"))
