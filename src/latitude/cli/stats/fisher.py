"""`latitude stats fisher`: compares two published correlations."""

from dataclasses import dataclass

from latitude.cli.outputs import Outputs, ResultOptions
from latitude.units.options import option, whole
from latitude.units.quantities import parse_number


def _correlation(text: str) -> float:
    return parse_number(text, "a correlation", -1, 1)


@dataclass(kw_only=True)
class FisherOptions(ResultOptions):
    """Published correlations."""

    r_mean: float = option("correlation of runtime with the mean", "R", _correlation, required=True)
    r_std: float = option(
        "correlation of runtime with the standard deviation", "R", _correlation, required=True
    )
    n: int = option("runs", "N", whole("a number of runs"), required=True)
    r_between: float | None = option(
        "correlation between the two columns (default: every possible value)",
        "R",
        _correlation,
    )


class Fisher:
    """Tests published correlations of runtime with mean and spread, without the runs."""

    name = "fisher"
    summary = "compare two published correlations"
    description = "Compares two published correlations."
    example = "latitude stats fisher --r-mean 0.8 --r-std 0.5 --n 30"
    options = FisherOptions

    def run(self, arguments: FisherOptions) -> None:
        from latitude.lab.documents.correlations import published_document  # noqa: PLC0415
        from latitude.lab.samples.correlated_runs import compare_published  # noqa: PLC0415 - pandas

        outputs = Outputs.of(arguments)
        result = compare_published(
            arguments.r_mean, arguments.r_std, arguments.n, arguments.r_between
        )
        outputs.give(published_document(result))
