"""`latitude stats compare`: whether samples differ, and how much."""

import argparse

from latitude.cli import progress
from latitude.cli.stats.answer import Answer, add_answer, outputs_of
from latitude.cli.stats.samples import add_samples


class Compare:
    """Every two groups, with what their difference is worth."""

    name = "compare"
    summary = "do samples differ, and how much"
    description = "Do samples differ, and how much."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""
        add_samples(parser, "two or more, or one with --by")
        add_answer(parser, "comparison")

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work."""
        from latitude.render.statistics import pages, terminal  # noqa: PLC0415 - scipy is slow
        from latitude.results import statistics_data as plain  # noqa: PLC0415 - scipy is slow
        from latitude.statistics.comparison import compare_files  # noqa: PLC0415

        outputs = outputs_of(arguments, "comparison")
        with progress.shown() as display:
            result = compare_files(
                arguments.samples, unit=arguments.unit, by=arguments.by, progress=display
            )
        Answer(
            lambda: pages.compare_page(result),
            plain.to_json(plain.comparison_dict(result)),
            plain.comparison_csv(result),
            lambda page: terminal.print_comparison(result, page),
        ).give(outputs)
