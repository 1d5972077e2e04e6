"""`latitude stats correlate`: correlation of runtime with the mean and the spread of latency."""

from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.cli.outputs import ResultOptions, csv_option
from latitude.cli.stats.samples import answer_option, outputs_of
from latitude.units.options import argument, option
from latitude.units.quantities import UNITS


def _parse_unit(text: str) -> tuple[str, str]:
    column, equals, unit = text.rpartition("=")
    if not equals or not column or unit not in (*UNITS, "1"):
        raise InputError(f"'{text}' is not COLUMN=UNIT; write e.g. runtime=s, or b=1")
    return column, unit


@dataclass(kw_only=True)
class CorrelateOptions(ResultOptions):
    """A table, and its columns to correlate."""

    table: Path = argument("CSV or Parquet, one row per run or level", "FILE", Path)
    x: list[str] = option(
        "column that may explain the runtime; if given twice (mean, then standard "
        "deviation), Latitude tests the difference of the two correlations",
        "COLUMN",
        required=True,
        repeated=True,
    )
    y: str = option("the runtime", "COLUMN", required=True)
    by: list[str] = option(
        "a group for each value of this column, e.g. program; may be repeated",
        "LABEL",
        repeated=True,
    )
    unit: list[tuple[str, str]] = option(
        "unit of a column whose name does not end in one (runtime_s, mean_us): ns, us, "
        "ms, s, or 1 for a column of other values",
        "COLUMN=UNIT",
        _parse_unit,
        repeated=True,
    )
    directory: Path | None = answer_option("correlation")
    csv: Path | None = csv_option("the table as CSV")


class Correlate:
    """Correlates columns of a table with one row per run, by group."""

    name = "correlate"
    summary = "compare runtime's correlation with the mean of latency and with its spread"
    description = "Compares runtime's correlation with the mean of latency and with its spread."
    example = "latitude stats correlate runs.csv --x mean_us --x sd_us --y runtime_s"
    options = CorrelateOptions

    def run(self, arguments: CorrelateOptions) -> None:
        from latitude.lab.documents.correlations import correlations_document  # noqa: PLC0415
        from latitude.lab.samples.correlated_runs import correlate_runs  # noqa: PLC0415 - pandas

        outputs = outputs_of(arguments, "correlation")
        result = correlate_runs(
            arguments.table, arguments.x, arguments.y, by=arguments.by, units=dict(arguments.unit)
        )
        outputs.give(correlations_document(result))
