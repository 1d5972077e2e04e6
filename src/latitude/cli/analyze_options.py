"""Options of `latitude analyze`, and of commands that analyse their own recording."""

from dataclasses import dataclass
from pathlib import Path

from latitude.analysis.cpu_gaps import JobOptions
from latitude.analysis.question_options import QuestionOptions
from latitude.analysis.variants import Varied
from latitude.cli.options import ProgramOptions, ReplayedOptions
from latitude.cli.outputs import ResultOptions, csv_option, directory_option
from latitude.units.options import Options, argument, flag, option
from latitude.units.quantities import parse_size

MEMORY_SHARE = 0.75
"""Share of the free memory that an analysis may take, unless --memory gives a limit."""


@dataclass(kw_only=True)
class ComparisonOptions(Options, topic="questions"):
    """The alternatives to compare."""

    compare: list[Varied] = option(
        "compare alternatives in a table and a picture (docs/how-to/compare.md), e.g. "
        "allreduce=recursive-doubling,ring,rabenseifner; also collectives=openmpi,mpich, "
        "topology=SPEC;SPEC, placement=block,round-robin, S=64KiB,256KiB, rendezvous, L, "
        "o, G, …; may be repeated for every combination",
        "THING=A,B,…",
        Varied.parse,
        repeated=True,
        often=True,
    )


@dataclass(kw_only=True)
class StreamOptions(Options, topic="streaming"):
    """Options for streaming a trace."""

    stream: bool = flag(
        "stream the trace, that is, evaluate T, λ, tolerances and curve while reading, in"
        " memory that does not grow with its length (default: if the trace would not fit "
        "into memory)",
        alternative="ways",
    )
    in_memory: bool = flag("read the whole trace, whatever its size", alternative="ways")
    memory: int | None = option(
        "most memory for an analysis, e.g. 8GiB; Latitude streams a trace that needs more "
        f"(default: {MEMORY_SHARE:.0%} of the free memory)",
        "SIZE",
        lambda text: parse_size(text, "--memory"),
    )
    checkpoint: Path | None = option(
        "stream the trace, and save the results so far in FILE; after a kill the same command "
        "continues. Latitude removes FILE at the end",
        "FILE",
        Path,
    )
    dask: str | None = option(
        "stream the trace on the workers of the Dask cluster with this scheduler, e.g. "
        "tcp://node1:8786; the workers read INPUT by the same path",
        "ADDRESS",
    )
    no_path: bool = flag(
        "stream the trace without the pass along the critical path, which takes 2 to 4 "
        "times as long as any other pass; T, λ, tolerances and curve remain"
    )
    scratch: Path | None = option(
        "stream the trace, and also find the slack of messages, with an unnamed temporary file in "
        "FOLDER of 20 bytes per message and 10 per step between messages",
        "FOLDER",
        Path,
    )


@dataclass(kw_only=True)
class AnalysedOptions(QuestionOptions, JobOptions, ProgramOptions):
    """Options for a program's graph on a network, and for questions about the graph."""


@dataclass(kw_only=True)
class AnalyzeOptions(
    AnalysedOptions, ComparisonOptions, ReplayedOptions, StreamOptions, ResultOptions
):
    """A trace or GOAL file, and questions about this input."""

    input: Path = argument(
        "trace or GOAL file; or a result (analysis.json or its directory), to show it again",
        "INPUT",
        Path,
    )
    perfetto: Path | None = option(
        "write the run at L, call by call, with waits and critical path, for Perfetto "
        "(ui.perfetto.dev) and Chrome's tracing",
        "FILE",
        Path,
        topic="results",
    )
    directory: Path | None = directory_option(
        "report.html, analysis.json, curve.csv, breakpoints.csv and the sections' CSV files"
    )
    csv: Path | None = csv_option("the curve, or the table of a comparison, as CSV")
