"""`latitude background synthetic`: a made-up history to try things on."""

import argparse
from pathlib import Path

from latitude.cli import plain_options
from latitude.cluster.topology import LOCALITIES
from latitude.files.writing import refuse_existing, replace_with
from latitude.notices.saying import say
from latitude.units.quantities import parse_number


class Synthetic:
    """Nothing in it was measured."""

    name = "synthetic"
    summary = "write a made-up history, to try `correlate` and `advise` on"
    description = """\
Writes a history of three months of made-up runs (bcast, reduce, alltoall; 4 B to 1 MiB) with the
features [B] reports: latency and its spread grow with b, size and distance, and a second mode
appears at high b. It says in every row, and on every page made from it, that it is synthetic."""
    example = "latitude background synthetic -o history.parquet"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "-o", dest="output", metavar="FILE", type=Path, required=True, help="Parquet to write"
        )
        parser.add_argument(
            "--campaigns",
            metavar="N",
            type=plain_options.whole("a number of times", 1),
            default=120,
            help="times at which everything is run once (default: 120)",
        )
        parser.add_argument(
            "--iterations",
            metavar="N",
            type=plain_options.whole("a number of latencies", 1),
            default=200,
            help="latencies of a run (default: 200; [B] has 1,000)",
        )
        parser.add_argument(
            "--placement", choices=LOCALITIES, help="of all runs (default: as Slurm would, mixed)"
        )
        parser.add_argument(
            "--effect",
            metavar="X",
            type=plain_options.checked(lambda text: parse_number(text, "a factor", 0)),
            default=1.0,
            help="how much b matters (default: 1)",
        )
        plain_options.add_seed(parser, "the random numbers")
        parser.add_argument("--force", action="store_true", help="overwrite FILE if it exists")

    def run(self, arguments: argparse.Namespace) -> None:
        from latitude.cluster.synthetic import SyntheticPlan, synthetic_history  # noqa: PLC0415

        refuse_existing([arguments.output], force=arguments.force)
        frame = synthetic_history(
            SyntheticPlan(
                campaigns=arguments.campaigns,
                iterations=arguments.iterations,
                locality=arguments.placement,
                effect=arguments.effect,
                seed=arguments.seed,
            )
        )
        replace_with(
            arguments.output,
            lambda path: frame.to_parquet(path, index=False, compression="zstd"),
            force=arguments.force,
        )
        say(
            f"{arguments.output}: {len(frame):,} synthetic latencies of "
            f"{12 * arguments.campaigns:,} runs; nothing in it was measured"
        )
