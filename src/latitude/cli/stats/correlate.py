"""`latitude stats correlate`: whether runtime goes with the mean of latency or with its spread."""

import argparse
from pathlib import Path

from latitude._core import InputError
from latitude.cli import plain_options
from latitude.cli.stats.samples import add_answer, outputs_of
from latitude.units.quantities import UNITS


class Correlate:
    """Columns of a table with a row a run, by group."""

    name = "correlate"
    summary = "does runtime go with the mean of latency or with its spread"
    description = "Does runtime go with the mean of latency or with its spread."
    example = "latitude stats correlate runs.csv --x mean_us --x sd_us --y runtime_s"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "table",
            metavar="FILE",
            type=Path,
            help="CSV or Parquet, one row per run or level",
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
            type=plain_options.checked(_parse_unit),
            help="unit of a column whose name does not end in one (runtime_s, mean_us): ns, us, "
            "ms, s, or 1 for a column that is no time",
        )
        add_answer(parser, "correlation")

    def run(self, arguments: argparse.Namespace) -> None:
        from latitude.render.documents.correlations import correlations_document  # noqa: PLC0415
        from latitude.samples.correlated_runs import correlate_runs  # noqa: PLC0415 - pandas

        outputs = outputs_of(arguments, "correlation")
        result = correlate_runs(
            arguments.table, arguments.x, arguments.y, by=arguments.by, units=dict(arguments.unit)
        )
        outputs.give(correlations_document(result))


def _parse_unit(text: str) -> tuple[str, str]:
    column, equals, unit = text.rpartition("=")
    if not equals or not column or unit not in (*UNITS, "1"):
        raise InputError(f"'{text}' is not COLUMN=UNIT; write e.g. runtime=s, or b=1")
    return column, unit
