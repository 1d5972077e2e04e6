"""`latitude stats compare`: whether samples differ, and how much."""

import argparse

from latitude.cli import progress
from latitude.cli.stats.samples import add_answer, add_samples, outputs_of


class Compare:
    """Every two groups, with what their difference is worth."""

    name = "compare"
    summary = "do samples differ, and how much"
    description = "Do samples differ, and how much."
    example = "latitude stats compare idle.csv busy.csv -o comparison"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_samples(parser, "two or more, or one with --by")
        add_answer(parser, "comparison")

    def run(self, arguments: argparse.Namespace) -> None:
        from latitude.render.documents.stats import comparison_document  # noqa: PLC0415 - pandas
        from latitude.samples.described import compare_samples  # noqa: PLC0415 - pandas is slow

        outputs = outputs_of(arguments, "comparison")
        with progress.shown() as display:
            result = compare_samples(
                arguments.samples, unit=arguments.unit, by=arguments.by, progress=display
            )
        outputs.give(comparison_document(result))
