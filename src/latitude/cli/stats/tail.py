"""`latitude stats tail`: what the tail of samples looks like."""

import argparse
from pathlib import Path

from latitude._core import InputError
from latitude.cli import plain_options, progress
from latitude.cli.stats.samples import add_answer, add_samples, outputs_of
from latitude.units.quantities import parse_time


class Tail:
    """Percentiles, tail index and modes of each group."""

    name = "tail"
    summary = "what the tail of samples looks like"
    description = "What the tail of samples looks like."
    example = "latitude stats tail latencies.csv --by operation -o tail"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_samples(parser, "one group each")
        parser.add_argument(
            "--threshold",
            metavar="TIME",
            type=plain_options.checked(lambda text: parse_time(text, "threshold", "1.92ms")),
            help="count the samples over this latency instead of over their own 85th percentile",
        )
        parser.add_argument(
            "--reference",
            metavar="FILE",
            type=Path,
            help="take the 85th percentile of these samples as the threshold",
        )
        add_answer(parser, "tail")

    def run(self, arguments: argparse.Namespace) -> None:
        from latitude.render.documents.stats import tails_document  # noqa: PLC0415 - pandas is slow
        from latitude.samples.described import describe_samples  # noqa: PLC0415 - pandas is slow

        if arguments.threshold is not None and arguments.reference is not None:
            raise InputError("--threshold and --reference both set the threshold; give one of them")
        outputs = outputs_of(arguments, "tail")
        with progress.shown() as display:
            result = describe_samples(
                arguments.samples,
                unit=arguments.unit,
                by=arguments.by,
                threshold_ns=arguments.threshold,
                reference=arguments.reference,
                progress=display,
            )
        outputs.give(tails_document(result))
