"""The samples that a question is about."""

import argparse
from pathlib import Path

from latitude.cli import options


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
    options.add_unit(parser)
