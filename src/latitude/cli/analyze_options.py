"""The options of `latitude analyze`, and of commands that analyse what they recorded."""

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
    """What is compared."""

    compare: list[Varied] = option(
        "a table and a picture of alternatives instead of one analysis (docs/how-to/compare.md): "
        "a collective (allreduce=recursive-doubling,ring,rabenseifner), collectives=openmpi,mpich, "
        "topology=SPEC;SPEC, placement=block,round-robin, S=64KiB,256KiB, rendezvous, L, o, G, …; "
        "repeated: every combination",
        "THING=A,B,…",
        Varied.parse,
        repeated=True,
        often=True,
    )


@dataclass(kw_only=True)
class StreamOptions(Options, topic="streaming"):
    """How a trace is evaluated while it is read."""

    stream: bool = flag(
        "evaluate a trace of latitude trace while it is read, in memory that does not grow "
        "with its length: T, λ, tolerances and curve (default: where it would not fit into memory)",
        alternative="ways",
    )
    in_memory: bool = flag("read the trace as a whole, whatever its size", alternative="ways")
    memory: int | None = option(
        "memory that an analysis may take before the trace is evaluated while it is read, "
        f"e.g. 8GiB (default: {MEMORY_SHARE:.0%} of what is free)",
        "SIZE",
        lambda text: parse_size(text, "--memory"),
    )
    checkpoint: Path | None = option(
        "evaluate the trace while it is read, and keep in FILE what has been found so far: "
        "after it was killed the same command goes on from there. FILE is removed at the end",
        "FILE",
        Path,
    )
    dask: str | None = option(
        "evaluate the trace while workers of a Dask cluster read it, who share the values of "
        "θ: its scheduler's address, e.g. tcp://node1:8786; they read INPUT by the same path",
        "ADDRESS",
    )
    no_path: bool = flag(
        "evaluate the trace while it is read, and leave out the pass along the critical path, "
        "which takes 2 to 4 times as long as another one: T, λ, tolerances and curve remain"
    )
    scratch: Path | None = option(
        "evaluate the trace while it is read, and find the slack of messages, too: what its "
        "way back asks is written into a file without a name in FOLDER, some 20 bytes per message "
        "and 10 per step between them",
        "FOLDER",
        Path,
    )


@dataclass(kw_only=True)
class AnalysedOptions(QuestionOptions, JobOptions, ProgramOptions):
    """A program's graph on a network, and the questions about that graph."""


@dataclass(kw_only=True)
class AnalyzeOptions(
    AnalysedOptions, ComparisonOptions, ReplayedOptions, StreamOptions, ResultOptions
):
    """A trace or GOAL file, and the questions about that input."""

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
    csv: Path | None = csv_option("the curve (of a comparison the table) as CSV")
