"""`latitude fit`: from latency samples to distributions and tables."""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from latitude._core import InputError
from latitude.cli import progress
from latitude.files import refuse_existing, write_new

if TYPE_CHECKING:
    from latitude.distributions import Table
    from latitude.distributions.fitting import FitResult

STDOUT = Path("-")
_NAMES = ("report.html", "fit.json", "ranking.csv")
_FAMILY = ("constant", "lognormal-100", "lognormal-75", "lognormal-50", "lognormal-25")


class Fit:
    """All of SciPy's continuous distributions, ranked; tables for the injectors."""

    name = "fit"
    summary = "fit distributions to latency samples, and write tables to inject"
    description = """\
Fits every continuous distribution of SciPy to latency samples (CSV, Parquet, JSON, perftest -U
dumps, OSU output, one number a line), ranks them, and prints the best; -o writes the page and the
data. --table writes the best one as a table to inject, --family the five distributions of equal
mean. --distribution makes a table without samples, e.g. "lognormal(p50=5us,p99=40us)"."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""
        parser.add_argument(
            "samples", metavar="SAMPLES", type=Path, nargs="?", help="file of latency samples"
        )
        parser.add_argument(
            "--unit",
            choices=("ns", "us", "ms", "s"),
            help="unit of the samples, where the file does not state it",
        )
        _add_fitting(parser)
        _add_tables(parser)
        group = parser.add_argument_group("results")
        group.add_argument(
            "-o",
            dest="directory",
            metavar="DIR",
            type=Path,
            help="write report.html, fit.json and ranking.csv into DIR",
        )
        group.add_argument(
            "--json", metavar="FILE", type=Path, help="write the JSON to FILE, or - for stdout"
        )
        group.add_argument("--force", action="store_true", help="overwrite results that exist")

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work."""
        if (arguments.samples is None) == (arguments.distribution is None):
            raise InputError(
                "give either SAMPLES or --distribution, e.g. latitude fit latencies.csv (see "
                "`latitude fit --help`)"
            )
        if arguments.distribution is None:
            _fit(arguments)
        else:
            _table_only(arguments)


def _add_fitting(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("fitting")
    group.add_argument(
        "--budget",
        metavar="SECONDS",
        type=_seconds,
        default=1.0,
        help="CPU time each distribution may take (default: 1)",
    )
    group.add_argument(
        "--threads",
        metavar="N",
        type=_whole,
        default=0,
        help="worker processes (default: one a core)",
    )
    group.add_argument(
        "--rank",
        choices=("bic", "aic", "ks", "sse"),
        default="bic",
        help="criterion of the ranking (default: bic)",
    )
    group.add_argument(
        "--top", metavar="N", type=_whole, default=10, help="fits to print (default: 10)"
    )
    group.add_argument(
        "--bootstrap",
        metavar="N",
        type=_whole,
        default=99,
        help="resamples for the p-value of the three best; 0 leaves it out (default: 99)",
    )
    group.add_argument(
        "--seed",
        metavar="N",
        type=_whole,
        default=1,
        help="of the random choices, and the content of the seed files (default: 1)",
    )


def _add_tables(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("tables")
    group.add_argument(
        "--table",
        metavar="FILE.dist",
        type=Path,
        help="write a table of 4,096 latencies (ns) to inject, and FILE.seed beside it",
    )
    group.add_argument(
        "--table-of",
        metavar="NAME",
        help="what to make the table of: best (default), lognormal, empirical (the samples "
        "themselves), or the name of a distribution that was fitted",
    )
    group.add_argument(
        "--family",
        metavar="DIR",
        type=Path,
        help="write tables of equal mean into DIR: a constant, and the fitted lognormal with 100, "
        "75, 50 and 25 %% of its scale (Underwood et al., ICPE'18, §5.3)",
    )
    group.add_argument(
        "--distribution",
        metavar="SPEC",
        help="instead of SAMPLES: NAME(PARAMETER=VALUE,…) of SciPy by parameters, moments or "
        "percentiles, e.g. gamma(mean=5us,sd=2us); constant(5us); empirical:FILE; table:FILE; "
        "netem:FILE(mean=5us,sd=1us)",
    )


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:  # noqa: PLR2004 - 11 days
        raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds; write e.g. 2")
    return value


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number; write e.g. 2")
    return int(text)


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where results go."""

    directory: Path | None
    json: Path | None
    table: Path | None
    family: Path | None
    force: bool

    def page(self) -> Path | None:
        """The report, when one is written."""
        return None if self.directory is None else self.directory / _NAMES[0]

    def check(self) -> None:
        """InputError before the work when something is in the way."""
        from latitude.distributions.table import seed_path  # noqa: PLC0415 - slow to import

        files: list[Path] = []
        if self.json is not None and self.json != STDOUT:
            files.append(self.json)
        if self.table is not None:
            if self.table.suffix != ".dist":
                raise InputError(f"{self.table}: name the table .dist; its seed goes into .seed")
            files.append(self.table)
        for directory, names in (
            (self.directory, _NAMES),
            (self.family, [f"{name}.dist" for name in _FAMILY]),
        ):
            if directory is not None:
                if directory.exists() and not directory.is_dir():
                    raise InputError(f"{directory}: is a file; give a directory")
                files += [directory / name for name in names]
        seeds = [seed_path(path) for path in files if path.suffix == ".dist"]
        refuse_existing([*files, *seeds], force=self.force)

    def write(self, result: "FitResult") -> None:
        """Writes the page and the data."""
        from latitude.distributions.fitting.serialise import (  # noqa: PLC0415 - slow to import
            ranking_csv,
            to_json,
        )

        if self.directory is not None:
            from latitude.distributions.report import render  # noqa: PLC0415 - plotly is slow

            contents = (render(result), to_json(result), ranking_csv(result))
            for name, content in zip(_NAMES, contents, strict=True):
                write_new(self.directory / name, content, force=self.force)
        if self.json == STDOUT:
            sys.stdout.write(to_json(result))
        elif self.json is not None:
            write_new(self.json, to_json(result), force=self.force)


def _outputs(arguments: argparse.Namespace) -> Outputs:
    outputs = Outputs(
        arguments.directory,
        arguments.json,
        arguments.table,
        arguments.family,
        arguments.force,
    )
    outputs.check()
    return outputs


def _fit(arguments: argparse.Namespace) -> None:
    if arguments.table_of is not None and arguments.table is None:
        raise InputError("--table-of says what --table writes; give --table FILE.dist too")
    outputs = _outputs(arguments)
    from latitude.distributions.fitting import fit_samples  # noqa: PLC0415 - SciPy is slow
    from latitude.distributions.fitting.tables import chosen_table  # noqa: PLC0415
    from latitude.distributions.summary import print_fits, print_table  # noqa: PLC0415 - slow to import

    with progress.shown() as display:
        result = fit_samples(
            arguments.samples,
            unit=arguments.unit,
            budget_s=arguments.budget,
            ranked_by=arguments.rank,
            resamples=arguments.bootstrap,
            seed=arguments.seed,
            workers=arguments.threads,
            progress=display,
        )
        table = None
        if arguments.table is not None:
            display.stage("Making the table")
            table = chosen_table(result, arguments.table_of or "best", arguments.unit)
        outputs.write(result)
    if outputs.json != STDOUT:
        print_fits(result, arguments.top, outputs.page())
    if table is not None:
        _write_table(table, arguments)
        print_table(table, arguments.table, quiet=outputs.json == STDOUT)
    if arguments.family is not None:
        _write_family(result, arguments)


def _table_only(arguments: argparse.Namespace) -> None:
    for option in ("directory", "json", "family", "table_of"):
        if getattr(arguments, option) is not None:
            name = {"directory": "-o", "table_of": "--table-of"}.get(option, f"--{option}")
            raise InputError(f"{name} needs SAMPLES; --distribution goes with --table FILE.dist")
    if arguments.table is None:
        raise InputError("--distribution needs --table FILE.dist to write to")
    _outputs(arguments)
    from latitude.distributions import parse_table  # noqa: PLC0415 - as above
    from latitude.distributions.summary import print_table  # noqa: PLC0415 - slow to import

    table = parse_table(arguments.distribution, arguments.unit)
    _write_table(table, arguments)
    print_table(table, arguments.table)


def _write_table(table: "Table", arguments: argparse.Namespace) -> None:
    from latitude.distributions import write_table  # noqa: PLC0415 - slow to import

    write_table(table, arguments.table, seed=arguments.seed, force=arguments.force)


def _write_family(result: "FitResult", arguments: argparse.Namespace) -> None:
    from latitude.distributions import write_table  # noqa: PLC0415 - slow to import
    from latitude.distributions.fitting.family import equal_mean_family  # noqa: PLC0415

    for sibling in equal_mean_family(result.lognormal):
        path = arguments.family / f"{sibling.member.name}.dist"
        write_table(sibling.table, path, seed=arguments.seed, force=arguments.force)
