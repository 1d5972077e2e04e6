"""`latitude analyze`: from a trace or GOAL file to tolerance."""

import argparse
from functools import partial
from pathlib import Path

from latitude._core import InputError
from latitude.analysis.analyze import analyze
from latitude.analysis.answer import CRITICAL, Listed
from latitude.analysis.cpu_order import in_order
from latitude.analysis.otherwise import Otherwise
from latitude.analysis.perfetto import PerfettoRun, write_perfetto
from latitude.cli import options, plain_options, progress
from latitude.cli.compare import add_compare, run_compare
from latitude.cli.outputs import Outputs, add_results
from latitude.cli.streamed import add_streaming, streamed
from latitude.files.writing import replace_with
from latitude.model.theta import Sweep
from latitude.render.documents.analysis import analysis_document
from latitude.results.analysis import Analysis
from latitude.results.left_out import SECTIONS
from latitude.trace.program import Program
from latitude.units.quantities import parse_interval, parse_time, parse_whole


class AnalyzeCommand:
    """The main road: graph → T, λ, ρ, critical latencies, tolerances, critical path."""

    description = """\
Reads a trace (what latitude trace wrote, OTF2, DUMPI, a Paraver .prv, or one liballprof file per
rank) or a GOAL file, builds its execution graph, and prints runtime T, latency sensitivity λ_L,
latency share ρ_L, and the extra latency tolerated before T grows by 1, 2 and 5 %. With -o it also
writes the page and the data."""
    example = "latitude analyze trace.tar.xz --L 1.2us --o 400ns --G 0.04ns -o result"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("input", metavar="INPUT", type=Path, help="trace or GOAL file")
        add_questions(parser)
        add_compare(parser)
        options.add_network(parser)
        trace = options.add_graph(parser)
        options.add_replay(trace)
        add_streaming(trace)
        group = add_results(
            parser,
            "report.html, analysis.json, curve.csv, breakpoints.csv, efficiency.csv, slack.csv, "
            "waits.csv, delays.csv and, where there are such, call_sites.csv, iterations.csv and "
            "links.csv",
            csv="the curve (of a comparison the table) as CSV",
        )
        group.add_argument(
            "--perfetto",
            metavar="FILE",
            type=Path,
            help="write the run at L, call by call, with waits and critical path, for Perfetto "
            "(ui.perfetto.dev) and Chrome's tracing",
        )

    def run(self, arguments: argparse.Namespace) -> None:
        if streamed(arguments):
            return
        if arguments.compare:
            if arguments.replay:
                raise InputError(
                    "--compare: replayed, all alternatives would take what the traced run took; "
                    "leave out --replay"
                )
            if arguments.perfetto is not None:
                raise InputError("--perfetto: it is of one analysis, not of a comparison")
            run_compare(arguments)
            return
        perfetto: Path | None = arguments.perfetto
        outputs = Outputs.of(arguments, *FILES, others=[] if perfetto is None else [perfetto])
        found, program = analysed(arguments.input, arguments)
        if perfetto is not None:
            with progress.shown() as display:
                display.stage(f"Writing {perfetto}")
                run = PerfettoRun(in_order(program, found.network), found.network)
                write = partial(write_perfetto, run=run)
                replace_with(perfetto, write, force=arguments.force)
        outputs.give(analysis_document(found))


def add_questions(parser: argparse.ArgumentParser) -> None:
    """What is asked of the graph."""
    group = parser.add_argument_group("questions")
    group.add_argument(
        "--latency",
        metavar="LOW:HIGH",
        type=plain_options.checked(lambda text: parse_interval(text, "latency")),
        help="interval of L for the curve and the critical latencies, e.g. 3us:103us "
        "(default: L to L + 100us, or as far as the tolerances)",
    )
    group.add_argument(
        "--sweep",
        metavar="PARAMETER[=LOW:HIGH]",
        type=plain_options.checked(Sweep.parse),
        help="vary another parameter in place of L: l_wire=274ns:3us, G=0.018ns:1ns, o, d_switch, "
        "L:intra, G:intra (default: L; with --topology l_wire)",
    )
    options.add_tolerance(group)
    group.add_argument(
        "--critical",
        metavar="N",
        default=None,
        type=plain_options.checked(parse_critical),
        help="how many critical values to list, from the interval's lower end; beyond them T is "
        "known within 0.01%%. `all` has them all, however long that takes "
        f"(default: {CRITICAL:,}; none of a trace that is evaluated while it is read)",
    )
    group.add_argument(
        "--what-if",
        metavar="COMPUTATION",
        action="append",
        default=[],
        type=plain_options.checked(Otherwise.parse),
        help="other computation to answer for, too: balanced between ranks, or the factor on what "
        "is computed before MPI in a function, line or kind of call, e.g. solve=0.5; may be "
        "repeated",
    )
    group.add_argument(
        "--without",
        metavar="SECTION",
        action="append",
        default=[],
        choices=[*SECTIONS],
        help=f"leave out a section of the result: {', '.join(SECTIONS)}; may be repeated",
    )
    group.add_argument(
        "--limit",
        metavar="TIME",
        action="append",
        default=[],
        type=plain_options.checked(lambda text: parse_time(text, "limit", "2.5s")),
        help="runtime to find the tolerated latency of, e.g. 2.5s; may be repeated",
    )


def parse_critical(text: str) -> Listed:
    """How many critical values to list: `1,000`, or `all`."""
    what = "a number of critical values, or all"
    return Listed(None if text == "all" else parse_whole(text, what, 1))


def analysis_of(path: Path, arguments: argparse.Namespace) -> Analysis:
    """Loads and analyses `path` as the options say, with progress on the terminal."""
    return analysed(path, arguments)[0]


def analysed(path: Path, arguments: argparse.Namespace) -> tuple[Analysis, Program]:
    """The same, and the program."""
    with progress.shown() as display:
        network = options.network_of(arguments, path, display)
        program = options.loaded(path, arguments, network, display)
        found = analyze(
            program,
            network,
            latency=arguments.latency,
            sweep=arguments.sweep,
            tolerance=arguments.tolerance,
            limits_ns=arguments.limit,
            what_if=arguments.what_if,
            critical=CRITICAL if arguments.critical is None else arguments.critical.most,
            without=arguments.without,
            threads=arguments.threads,
            progress=display,
        )
    return found, program


FILES = (
    "report.html", "analysis.json", "curve.csv", "breakpoints.csv", "efficiency.csv", "slack.csv",
    "waits.csv", "delays.csv", "call_sites.csv", "iterations.csv", "links.csv",
)  # fmt: skip
"""What -o writes; the last three only where the program and the network have such."""
