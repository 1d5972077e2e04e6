"""`latitude analyze`: from a trace or GOAL file to tolerance."""

from functools import partial
from pathlib import Path

from latitude._core import InputError
from latitude.analysis.analyze import analyze
from latitude.analysis.answer import CRITICAL
from latitude.analysis.cpu_order import in_order
from latitude.cli import options, progress
from latitude.cli.analyze_options import AnalysedOptions, AnalyzeOptions
from latitude.cli.outputs import Outputs, ResultOptions
from latitude.cli.streamed import streamed
from latitude.files.writing import replace_with
from latitude.model.network import Network
from latitude.notices.saying import say
from latitude.render.documents.analysis import analysis_document, file_names
from latitude.results.analysis import Analysis
from latitude.results.reading import is_result, read_analysis
from latitude.trace.load import holds_trace
from latitude.trace.program import Program
from latitude.units.options import options_of


class AnalyzeCommand:
    """`latitude analyze`: graph → T, λ, ρ, critical latencies, tolerances, critical path."""

    description = """\
Reads a trace (what latitude trace wrote, OTF2, DUMPI, a Paraver .prv, one liballprof file per rank,
or one of PyTorch's profiler) or a GOAL file, builds its execution graph, and prints runtime T,
latency sensitivity λ_L, latency share ρ_L, and the extra latency tolerated before T grows by 1, 2
and 5 %. With -o it also writes the page and the data."""
    example = "latitude analyze trace.tar.xz --L 1.2us --o 400ns --G 0.04ns -o result"
    options = AnalyzeOptions

    def run(self, arguments: AnalyzeOptions) -> None:
        if is_result(arguments.input) and not _with_trace(arguments.input):
            _show_again(arguments)
            return
        if streamed(arguments):
            return
        if arguments.compare:
            if arguments.replay:
                raise InputError(
                    "--compare: with --replay all alternatives would have the runtime of the "
                    "traced run; leave out --replay"
                )
            if arguments.perfetto is not None:
                raise InputError(
                    "--perfetto writes one analysis, not a comparison; leave out --compare"
                )
            from latitude.cli.compare import run_compare  # noqa: PLC0415 - few want it

            run_compare(arguments)
            return
        perfetto: Path | None = arguments.perfetto
        outputs = Outputs.of(
            arguments, *file_names(), others=[] if perfetto is None else [perfetto]
        )
        found, program, network = analysed(arguments.input, arguments)
        if perfetto is not None:
            program.refuse_job("--perfetto")
            from latitude.analysis.perfetto import (  # noqa: PLC0415 - few want it
                PerfettoRun,
                write_perfetto,
            )

            with progress.shown() as display:
                display.stage(f"Writing {perfetto}")
                run = PerfettoRun(in_order(program, network), network)
                write = partial(write_perfetto, run=run)
                replace_with(perfetto, write, force=arguments.force)
        outputs.give(analysis_document(found))


def _with_trace(result: Path) -> bool:
    """Whether a result's folder also holds its trace; the user then means the trace."""
    return result.is_dir() and holds_trace(result)


def _show_again(arguments: AnalyzeOptions) -> None:
    """Writes the page, without timelines, and the files of an earlier result."""
    allowed = {"input", "directory", "csv", *(name for name, *_ in options_of(ResultOptions))}
    given = [
        option.typed(name)
        for name, option, default in options_of(AnalyzeOptions)
        if name not in allowed and (getattr(arguments, name) or None) != (default or None)
    ]
    if given:
        raise InputError(
            f"{', '.join(given)}: {arguments.input} is a result, which Latitude only shows; give "
            "the trace or GOAL file for another analysis"
        )
    outputs = Outputs.of(arguments, *file_names())
    outputs.give(analysis_document(read_analysis(arguments.input)))
    if outputs.page() is not None:
        say("the page has no timelines: a result keeps none, the trace gives them")


def analysis_of(path: Path, arguments: AnalysedOptions) -> Analysis:
    """Loads and analyses `path` with these options, with progress on the terminal."""
    return analysed(path, arguments)[0]


def analysed(path: Path, arguments: AnalysedOptions) -> tuple[Analysis, Program, Network]:
    """Like `analysis_of`, and also returns the program and the network."""
    with progress.shown() as display:
        network = options.network_of(arguments, path, display)
        program = options.loaded(path, arguments, network, display)
        found = analyze(
            program,
            network,
            latency=arguments.latency,
            sweep=arguments.sweep,
            tolerance=arguments.tolerance,
            limit=arguments.limit,
            cost=arguments.cost,
            what_if=arguments.what_if,
            cpu_gaps=arguments.cpu_gaps,
            nccl=arguments.nccl,
            step=arguments.step,
            critical=CRITICAL if arguments.critical is None else arguments.critical.most,
            sections=arguments.sections,
            without=arguments.without,
            threads=arguments.threads,
            progress=display,
        )
    return found, program, network.placed_as(path)
