"""`latitude stats tail`: the shape of the tail of samples."""

from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.cli import progress
from latitude.cli.outputs import ResultOptions, csv_option
from latitude.cli.stats.samples import SamplesOptions, answer_option, outputs_of
from latitude.units.options import option
from latitude.units.quantities import parse_time


@dataclass(kw_only=True)
class TailOptions(SamplesOptions, ResultOptions):
    """Samples, and the threshold of their tail."""

    threshold: float | None = option(
        "count the samples over this latency instead of over their own 85th percentile",
        "TIME",
        lambda text: parse_time(text, "threshold", "1.92ms"),
    )
    reference: Path | None = option(
        "take the 85th percentile of these samples as the threshold", "FILE", Path
    )
    directory: Path | None = answer_option("tail")
    csv: Path | None = csv_option("the table as CSV")


class Tail:
    """Finds percentiles, tail index and modes of each group."""

    name = "tail"
    summary = "describe the tail of samples"
    description = "Describes the tail of samples."
    example = "latitude stats tail latencies.csv --by operation -o tail"
    options = TailOptions

    def run(self, arguments: TailOptions) -> None:
        from latitude.lab.documents.stats import tails_document  # noqa: PLC0415 - pandas is slow
        from latitude.lab.samples.described import describe_samples  # noqa: PLC0415 - pandas is slow

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
