"""`latitude fit`: from latency samples to distributions and tables."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from latitude._core import InputError
from latitude.cli import progress
from latitude.cli.options import threads_option
from latitude.cli.outputs import Outputs, ResultOptions, directory_option
from latitude.cli.plain_options import seed_option, size_option, unit_option
from latitude.files.writing import refuse_file
from latitude.render.terminal import print_document, results_console
from latitude.units.options import Options, argument, option, whole
from latitude.units.quantities import parse_time

if TYPE_CHECKING:
    from latitude.distributions import QuantileTable
    from latitude.lab.results.fit import FitResult
_NAMES = ("report.html", "fit.json", "ranking.csv")
_FAMILY = ("constant", "lognormal-100", "lognormal-75", "lognormal-50", "lognormal-25")


def _budget(text: str) -> float:
    time = parse_time(text, "budget", "2s")
    if time == 0:
        raise InputError("budget: a time of 0 is too short for a fit; write e.g. 2s")
    return time


@dataclass(kw_only=True)
class FittingOptions(Options, topic="fitting"):
    """Options for fitting distributions."""

    budget: float = option(
        "CPU time each distribution may take (default: 1s)", "TIME", _budget, default=1e9
    )
    rank: Literal["bic", "aic", "ks", "sse"] = option(
        "criterion of the ranking (default: bic)",
        default="bic",
        choices=("bic", "aic", "ks", "sse"),
    )
    top: int = option("fits to print (default: 10)", "N", whole("a number of fits"), default=10)
    bootstrap: int = option(
        "resamples for the p-value of the three best; 0 leaves it out (default: 99)",
        "N",
        whole("a number of resamples"),
        default=99,
    )
    threads: int = threads_option("worker processes")
    seed: int = seed_option("the random choices, and the content of the seed files")


@dataclass(kw_only=True)
class TablesOptions(Options, topic="tables"):
    """Tables to write."""

    table: Path | None = option(
        "write a table of 4,096 latencies (ns) to inject, and its seed into FILE.seed",
        "FILE.dist",
        Path,
    )
    table_of: str | None = option(
        "source of the table: best (default), lognormal, empirical (the samples "
        "themselves), or the name of a fitted distribution",
        "NAME",
    )
    family: Path | None = option(
        "write five tables of equal mean into DIR: a constant, and the fitted lognormal with 100, "
        "75, 50 and 25 % of its scale (Underwood et al., ICPE'18, §5.3)",
        "DIR",
        Path,
    )
    distribution: str | None = option(
        "distribution in place of SAMPLES, as SciPy's NAME(PARAMETER=VALUE,…) by "
        "parameters, moments or percentiles, e.g. gamma(mean=5us,sd=2us); or "
        "constant(5us), empirical:FILE, table:FILE, netem:FILE(mean=5us,sd=1us)",
        "SPEC",
    )


@dataclass(kw_only=True)
class FitOptions(FittingOptions, TablesOptions, ResultOptions):
    """Samples, and the results to make."""

    samples: Path | None = argument("file of latency samples", "SAMPLES", Path, count="?")
    unit: str | None = unit_option()
    size: int | None = size_option()
    directory: Path | None = directory_option("report.html, fit.json and ranking.csv")


class FitCommand:
    """Ranks all of SciPy's continuous distributions, and writes tables for the injectors."""

    description = """\
Fits every continuous distribution of SciPy to latency samples (CSV, Parquet, JSON, perftest -U
dumps, OSU output, one number per line), ranks them, and prints the best; -o writes the page and the
data. --table writes the best one as a table to inject, --family the five distributions of equal
mean. --distribution makes a table without samples, e.g. "lognormal(p50=5us,p99=40us)"."""
    example = "latitude fit latencies.csv --unit us --table latency.dist -o fit"
    options = FitOptions

    def run(self, arguments: FitOptions) -> None:
        samples, distribution = arguments.samples, arguments.distribution
        if samples is not None and distribution is None:
            _fit(arguments, samples)
        elif samples is None and distribution is not None:
            _table_only(arguments, distribution)
        else:
            raise InputError(
                "give either SAMPLES or --distribution, e.g. latitude fit latencies.csv (see "
                "`latitude fit --help`)"
            )


def _outputs(arguments: FitOptions) -> Outputs:
    from latitude.distributions.table import seed_path  # noqa: PLC0415 - slow to import

    tables = []
    if arguments.table is not None:
        if arguments.table.suffix != ".dist":
            raise InputError(f"{arguments.table}: name the table .dist; its seed goes into .seed")
        tables.append(arguments.table)
    if arguments.family is not None:
        refuse_file(arguments.family)
        tables += [arguments.family / f"{name}.dist" for name in _FAMILY]
    return Outputs.of(arguments, *_NAMES, others=[*tables, *map(seed_path, tables)])


def _fit(arguments: FitOptions, samples: Path) -> None:
    if arguments.table_of is not None and arguments.table is None:
        raise InputError("--table-of chooses the content of --table; give --table FILE.dist too")
    outputs = _outputs(arguments)
    from latitude.lab.distributions import fit_samples  # noqa: PLC0415 - pandas is slow
    from latitude.lab.distributions.tables import chosen_table  # noqa: PLC0415
    from latitude.lab.documents.fits import fit_document  # noqa: PLC0415 - pandas is slow

    with progress.shown() as display:
        result = fit_samples(
            samples,
            unit=arguments.unit,
            size=arguments.size,
            budget_s=arguments.budget / 1e9,
            ranked_by=arguments.rank,
            resamples=arguments.bootstrap,
            seed=arguments.seed,
            workers=arguments.threads,
            progress=display,
        )
    outputs.give(fit_document(result, arguments.top))
    if arguments.table is not None:
        choice = arguments.table_of or "best"
        table = chosen_table(result, choice, arguments.unit, arguments.size)
        _write_table(table, arguments.table, arguments, quiet=outputs.uses_stdout())
    if arguments.family is not None:
        _write_family(result, arguments.family, arguments)


def _table_only(arguments: FitOptions, distribution: str) -> None:
    for each in ("directory", "json", "family", "table_of"):
        if getattr(arguments, each) is not None:
            name = {"directory": "-o", "table_of": "--table-of"}.get(each, f"--{each}")
            raise InputError(f"{name} needs SAMPLES; --distribution needs --table FILE.dist")
    if arguments.table is None:
        raise InputError("--distribution needs --table FILE.dist to write to")
    _outputs(arguments)
    from latitude.distributions import parse_table  # noqa: PLC0415 - as above

    table = parse_table(distribution, arguments.unit, arguments.size)
    _write_table(table, arguments.table, arguments)


def _write_table(
    table: "QuantileTable", path: Path, arguments: FitOptions, *, quiet: bool = False
) -> None:
    """Writes the table and reports it, on standard error if standard output is for data."""
    from latitude.distributions import write_table  # noqa: PLC0415 - slow to import
    from latitude.lab.documents.fits import table_document  # noqa: PLC0415 - as above

    write_table(table, path, seed=arguments.seed, force=arguments.force)
    said = table_document(table, path)
    print_document(said, None, results_console(stderr=quiet))


def _write_family(result: "FitResult", into: Path, arguments: FitOptions) -> None:
    from latitude.distributions import write_table  # noqa: PLC0415 - slow to import
    from latitude.lab.distributions.family import equal_mean_family  # noqa: PLC0415

    for sibling in equal_mean_family(result.lognormal, result.samples.mean_ns):
        path = into / f"{sibling.member.name}.dist"
        write_table(sibling.table, path, seed=arguments.seed, force=arguments.force)
