"""Options that name latencies."""

import argparse
from pathlib import Path

from latitude.cli.plain_options import add_unit


def add_samples(parser: argparse.ArgumentParser, name: str, meaning: str) -> None:
    """A file of samples (an argument, or an option when the name begins with --) and its unit."""
    group = parser.add_argument_group("samples")
    group.add_argument(name, metavar="FILE", type=Path, help=meaning)
    add_unit(group)


def add_history(parser: argparse.ArgumentParser) -> None:
    """A history and where its b comes from."""
    parser.add_argument(
        "history",
        metavar="HISTORY",
        type=Path,
        help="past runs: a directory that `around -o` filled, or CSV, Parquet or JSON with columns "
        "latency_us (or _ns, _ms, _s), collective, bytes, placement, b, time",
    )
    group = parser.add_argument_group("history")
    group.add_argument(
        "--watched",
        metavar="DIR",
        type=Path,
        help="samples of b that `watch -o` wrote: gives runs that have a time but no b the nearest",
    )
    add_unit(group)
