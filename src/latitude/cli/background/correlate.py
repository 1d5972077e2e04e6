"""`latitude background correlate`: does latency follow b?"""

from dataclasses import dataclass
from pathlib import Path

from latitude.cli.background.history import history_of
from latitude.cli.background.samples import HistoryOptions
from latitude.cli.outputs import Outputs, ResultOptions, directory_option
from latitude.lab.cluster.correlate import correlate
from latitude.units.options import option


@dataclass(kw_only=True)
class CorrelateBackgroundOptions(HistoryOptions, ResultOptions):
    """The history to test."""

    placement: str | None = option(
        "runs to compare, e.g. 'different islands' (default: the most frequent)", "TEXT"
    )
    directory: Path | None = directory_option("report.html and correlation.json")


class CorrelateBackground:
    """Fig. 4 and 5 of Salimi Beni and Cosenza 2022 for a history, and a test of the forecast."""

    name = "correlate"
    summary = "correlation of b with latency by collective and size, and shapes by b"
    description = """\
Correlates b with the mean latency of past runs, for each collective and size ([B] Fig. 4). Compares
the distributions at low and high b (Fig. 5), names those with two modes, and tests forecasts of the
tail. All runs are of one placement. With -o it writes a page."""
    example = "latitude background correlate history.csv -o correlation"
    options = CorrelateBackgroundOptions

    def run(self, arguments: CorrelateBackgroundOptions) -> None:
        outputs = Outputs.of(arguments, "report.html", "correlation.json")
        from latitude.lab.documents.background import (  # noqa: PLC0415 - as above
            correlation_document,
        )

        result = correlate(history_of(arguments), placement=arguments.placement)
        outputs.give(correlation_document(result))
