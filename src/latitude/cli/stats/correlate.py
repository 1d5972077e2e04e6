"""`latitude stats correlate`: whether runtime goes with the mean of latency or with its spread."""

import argparse
from pathlib import Path

from latitude._core import InputError
from latitude.cli import options
from latitude.cli.stats.answer import Answer, add_answer, outputs_of
from latitude.units.quantities import UNITS


class Correlate:
    """Columns of a table with a row a run, by group."""

    name = "correlate"
    summary = "does runtime go with the mean of latency or with its spread"
    description = "Does runtime go with the mean of latency or with its spread."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""
        parser.add_argument(
            "table", metavar="FILE", type=Path, help="CSV or Parquet with a row a run or a level"
        )
        parser.add_argument(
            "--x",
            metavar="COLUMN",
            action="append",
            required=True,
            help="what may explain the runtime; given twice (mean, then standard deviation), the "
            "two correlations are tested against each other",
        )
        parser.add_argument("--y", metavar="COLUMN", required=True, help="the runtime")
        parser.add_argument(
            "--by",
            metavar="LABEL",
            action="append",
            default=[],
            help="a group for each value of this column, e.g. program; may be repeated",
        )
        parser.add_argument(
            "--unit",
            metavar="COLUMN=UNIT",
            action="append",
            default=[],
            type=options.checked(_parse_unit),
            help="unit of a column whose name does not end in one (runtime_s, mean_us): ns, us, "
            "ms, s, or 1 for a column that is no time",
        )
        add_answer(parser, "correlation")

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work."""
        from latitude.render.statistics import pages, terminal  # noqa: PLC0415 - scipy is slow
        from latitude.results import statistics_data as plain  # noqa: PLC0415 - scipy is slow
        from latitude.statistics.relation import correlate_file  # noqa: PLC0415

        outputs = outputs_of(arguments, "correlation")
        result = correlate_file(
            arguments.table, arguments.x, arguments.y, by=arguments.by, units=dict(arguments.unit)
        )
        Answer(
            lambda: pages.correlate_page(result),
            plain.to_json(plain.relations_dict(result)),
            plain.relations_csv(result),
            lambda page: terminal.print_relations(result, page),
        ).give(outputs)


def _parse_unit(text: str) -> tuple[str, str]:
    column, equals, unit = text.rpartition("=")
    if not equals or not column or unit not in (*UNITS, "1"):
        raise InputError(f"'{text}' is not COLUMN=UNIT; write e.g. runtime=s, or b=1")
    return column, unit
