"""`latitude stats compare`: tests and sizes of differences between samples."""

from dataclasses import dataclass
from pathlib import Path

from latitude.cli import progress
from latitude.cli.outputs import ResultOptions, csv_option
from latitude.cli.stats.samples import SamplesOptions, answer_option, outputs_of, samples_argument


@dataclass(kw_only=True)
class CompareOptions(SamplesOptions, ResultOptions):
    """Samples to compare."""

    samples: list[Path] = samples_argument("two or more, or one with --by")
    directory: Path | None = answer_option("comparison")
    csv: Path | None = csv_option("the table as CSV")


class Compare:
    """Compares each pair of groups, with effect sizes."""

    name = "compare"
    summary = "test whether samples differ, and by how much"
    description = "Tests whether samples differ, and by how much."
    example = "latitude stats compare idle.csv busy.csv -o comparison"
    options = CompareOptions

    def run(self, arguments: CompareOptions) -> None:
        from latitude.lab.documents.stats import comparison_document  # noqa: PLC0415 - pandas
        from latitude.lab.samples.described import compare_samples  # noqa: PLC0415 - pandas is slow

        outputs = outputs_of(arguments, "comparison")
        with progress.shown() as display:
            result = compare_samples(
                arguments.samples, unit=arguments.unit, by=arguments.by, progress=display
            )
        outputs.give(comparison_document(result))
