"""`latitude stats`: tails, comparisons, correlations of measured latencies."""

import argparse
from collections.abc import Callable
from pathlib import Path

from latitude._core import InputError
from latitude.cli import options, progress
from latitude.cli.outputs import Content, Outputs, add_results
from latitude.units import UNITS, parse_number, parse_time

Run = Callable[[argparse.Namespace], None]


class Stats:
    """Statistics of [U] §5–7 and [B] §4–5 on anybody's samples."""

    name = "stats"
    summary = "tails, modes, comparisons and correlations of measured latencies"
    description = """\
Tests and summaries of measured latencies, each with intervals, with what it assumes, and with
when not to trust it. `latitude stats QUESTION --help` documents each question."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares the questions and their options."""
        questions = parser.add_subparsers(metavar="QUESTION", required=True)
        _add_tail(_question(questions, "tail", "what the tail of samples looks like", _tail))
        _add_compare(_question(questions, "compare", "do samples differ, and how much", _compare))
        _add_correlate(
            _question(
                questions,
                "correlate",
                "does runtime go with the mean of latency or with its spread",
                _correlate,
            )
        )
        _add_fisher(_question(questions, "fisher", "the same from published correlations", _fisher))

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work."""
        question: Run = arguments.question
        question(arguments)


def _question(
    questions: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    summary: str,
    run: Run,
) -> argparse.ArgumentParser:
    parser = questions.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        allow_abbrev=False,
    )
    parser.set_defaults(question=run)
    return parser


def _add_tail(parser: argparse.ArgumentParser) -> None:
    _add_samples(parser, "one group each")
    parser.add_argument(
        "--threshold",
        metavar="TIME",
        type=options.checked(lambda text: parse_time(text, "threshold", "1.92ms")),
        help="count the samples over this latency instead of over their own 85th percentile",
    )
    parser.add_argument(
        "--reference",
        metavar="FILE",
        type=Path,
        help="take the 85th percentile of these samples as the threshold",
    )
    _add_results(parser, "tail")


def _add_compare(parser: argparse.ArgumentParser) -> None:
    _add_samples(parser, "two or more, or one with --by")
    _add_results(parser, "comparison")


def _add_samples(parser: argparse.ArgumentParser, how_many: str) -> None:
    parser.add_argument(
        "samples",
        metavar="SAMPLES",
        type=Path,
        nargs="+",
        help=f"files or stores of latency samples: {how_many}",
    )
    parser.add_argument(
        "--by",
        metavar="LABEL",
        action="append",
        default=[],
        help="a group for each value of this label, e.g. collective; may be repeated",
    )
    options.add_unit(parser)


def _add_correlate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "table", metavar="FILE", type=Path, help="CSV or Parquet with a row a run or a level"
    )
    parser.add_argument(
        "--x",
        metavar="COLUMN",
        action="append",
        required=True,
        help="what may explain the runtime; given twice (mean, then standard deviation), the two "
        "correlations are tested against each other",
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
        help="unit of a column whose name does not end in one (runtime_s, mean_us): ns, us, ms, "
        "s, or 1 for a column that is no time",
    )
    _add_results(parser, "correlation")


def _add_fisher(parser: argparse.ArgumentParser) -> None:
    correlation = options.checked(lambda text: parse_number(text, "a correlation", -1, 1))
    for name, what in (
        ("--r-mean", "correlation of runtime with the mean"),
        ("--r-std", "correlation of runtime with the standard deviation"),
    ):
        parser.add_argument(name, metavar="R", type=correlation, required=True, help=what)
    parser.add_argument(
        "--n", metavar="N", type=options.whole("a number of runs"), required=True, help="runs"
    )
    parser.add_argument(
        "--r-between",
        metavar="R",
        type=correlation,
        help="correlation between the two columns; without it, all that can be are tried",
    )
    add_results(parser)


def _add_results(parser: argparse.ArgumentParser, name: str) -> None:
    page, document, table = _files(name)
    add_results(parser, f"{page}, {document} and {table}", csv="the table as CSV")


def _files(name: str) -> tuple[str, ...]:
    return tuple(f"{name}.{end}" for end in ("html", "json", "csv"))


def _write(outputs: Outputs, page: Content, document: str, table: str) -> None:
    outputs.write(page, lambda: document, lambda: table, json=lambda: document, csv=lambda: table)


def _parse_unit(text: str) -> tuple[str, str]:
    column, equals, unit = text.rpartition("=")
    if not equals or not column or unit not in (*UNITS, "1"):
        raise InputError(f"'{text}' is not COLUMN=UNIT; write e.g. runtime=s, or b=1")
    return column, unit


def _tail(arguments: argparse.Namespace) -> None:
    from latitude.statistics import pages, plain, terminal  # noqa: PLC0415 - scipy is slow
    from latitude.statistics.tailreport import tail_report  # noqa: PLC0415

    if arguments.threshold is not None and arguments.reference is not None:
        raise InputError("--threshold and --reference both set the threshold; give one of them")
    outputs = Outputs.of(arguments, *_files("tail"))
    with progress.shown() as display:
        report = tail_report(
            arguments.samples,
            unit=arguments.unit,
            by=arguments.by,
            threshold_ns=arguments.threshold,
            reference=arguments.reference,
            progress=display,
        )
    _write(
        outputs,
        lambda: pages.tail_page(report),
        plain.to_json(plain.tail_dict(report)),
        plain.tail_csv(report),
    )
    if not outputs.uses_stdout():
        terminal.print_tail(report, outputs.page())


def _compare(arguments: argparse.Namespace) -> None:
    from latitude.statistics import pages, plain, terminal  # noqa: PLC0415 - scipy is slow
    from latitude.statistics.comparison import compare_files  # noqa: PLC0415

    outputs = Outputs.of(arguments, *_files("comparison"))
    with progress.shown() as display:
        result = compare_files(
            arguments.samples, unit=arguments.unit, by=arguments.by, progress=display
        )
    _write(
        outputs,
        lambda: pages.compare_page(result),
        plain.to_json(plain.comparison_dict(result)),
        plain.comparison_csv(result),
    )
    if not outputs.uses_stdout():
        terminal.print_comparison(result, outputs.page())


def _correlate(arguments: argparse.Namespace) -> None:
    from latitude.statistics import pages, plain, terminal  # noqa: PLC0415 - scipy is slow
    from latitude.statistics.relation import correlate_file  # noqa: PLC0415

    outputs = Outputs.of(arguments, *_files("correlation"))
    result = correlate_file(
        arguments.table, arguments.x, arguments.y, by=arguments.by, units=dict(arguments.unit)
    )
    _write(
        outputs,
        lambda: pages.correlate_page(result),
        plain.to_json(plain.relations_dict(result)),
        plain.relations_csv(result),
    )
    if not outputs.uses_stdout():
        terminal.print_relations(result, outputs.page())


def _fisher(arguments: argparse.Namespace) -> None:
    from latitude.statistics import plain, terminal  # noqa: PLC0415 - scipy is slow
    from latitude.statistics.published import published  # noqa: PLC0415

    outputs = Outputs.of(arguments)
    result = published(arguments.r_mean, arguments.r_std, arguments.n, arguments.r_between)
    outputs.write(json=lambda: plain.to_json(plain.published_dict(result)))
    if not outputs.uses_stdout():
        terminal.print_published(result)
