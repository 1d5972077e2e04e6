"""`latitude run`: from a program to its report in one command."""

import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.analysis.over_runs import over_runs
from latitude.cli import options, plain_options
from latitude.cli.analyze import analysis_of
from latitude.cli.analyze_options import AnalysedOptions
from latitude.cli.options import ReplayedOptions
from latitude.cli.outputs import Outputs, ResultOptions, directory_option
from latitude.cli.plain_options import CommandOptions, mpicc_option
from latitude.cli.trace import next_command, recorded
from latitude.cli.traced import StacksOptions
from latitude.launch import launcher
from latitude.launch.tracing.session import TraceRequest
from latitude.notices.saying import say
from latitude.render.documents.analysis import analysis_document, file_names
from latitude.units.options import option, whole

DIRECTORY = Path("latitude-run")
TRACE = "trace"
_NOTHING_RECORDED = 2
_MOST_TRACES = 100
_UNASKED = 3
"""Default number of runs."""
_SHORT_S = 3
"""Duration, s; by default Latitude does not repeat a longer run."""


@dataclass(kw_only=True)
class RunOptions(CommandOptions, AnalysedOptions, ReplayedOptions, ResultOptions, StacksOptions):
    """A command to trace, and the questions about its trace."""

    traces: int | None = option(
        "number of traced runs of the command; the answers are those of the run with "
        f"the median T, with the range of all (default: {_UNASKED}, or 1 if the first takes over "
        f"{_SHORT_S} s)",
        "N",
        whole("a number of runs", 1, _MOST_TRACES),
    )
    mpicc: Path | None = mpicc_option(topic="trace")
    directory: Path = directory_option("the trace, the page and the data", DIRECTORY)


class RunCommand:
    """Traces a command and analyses the trace."""

    description = """\
Runs COMMAND, records the MPI calls of its ranks (as `latitude trace` does), analyses the trace (as
`latitude analyze` does) and leaves both in DIR: the trace in DIR/trace, the page in
DIR/report.html. A short command runs three times, so that the report can say how far runs differ;
further traces are in DIR/trace-2 and so on. If the command fails, Latitude exits with the command's
status and analyses nothing."""
    example = "latitude run -o result -- mpirun -n 8 ./app input"
    options = RunOptions

    def run(self, arguments: RunOptions) -> None:
        command = plain_options.command_of(arguments, "latitude run -- mpirun -n 8 ./app")
        if launcher.find(command) is None and launcher.rank_of_this_process() is not None:
            raise InputError(
                "put `latitude run` left of the launcher: latitude run -- mpirun -n 8 ./app"
            )
        outputs = Outputs.of(arguments, *file_names())
        # Errors in the network must appear before the program runs.
        options.description_of(arguments).network()
        traces = list(_recorded(command, arguments))
        say("")
        analyses = [analysis_of(directory, arguments) for directory in traces]
        outputs.give(analysis_document(over_runs(analyses, list(map(str, traces)))))


def _recorded(command: list[str], arguments: RunOptions) -> Iterator[Path]:
    """Runs the command as often as requested; yields `trace`, `trace-2`, `trace-3` and so on.

    InputError, before the first run: the trace of a later run exists.
    """
    first = arguments.directory / TRACE
    directories = [first] + [
        first.with_name(f"{first.name}-{number}")
        for number in range(2, (arguments.traces or _UNASKED) + 1)
    ]
    if not arguments.force and (there := next(filter(Path.exists, directories[1:]), None)):
        raise InputError(f"{there}: exists already; pass --force to overwrite, or another -o")
    began = time.monotonic()
    for directory in directories:
        _traced(command, directory, arguments)
        yield directory
        if arguments.traces is None and directory is first and time.monotonic() - began > _SHORT_S:
            return


def _traced(command: list[str], directory: Path, arguments: RunOptions) -> None:
    """Runs the command under the tracer. SystemExit: the command fails, or nothing was recorded."""
    traced = recorded(
        TraceRequest(
            command=command,
            directory=directory,
            clock=arguments.clock,
            mpicc=arguments.mpicc,
            force=arguments.force,
            stacks=arguments.stacks,
        )
    )
    status = traced.ended.status
    if status or not traced.files or traced.apart:
        if following := next_command(traced):
            say(
                "latitude: the command failed; for what its ranks completed: latitude "
                f"{shlex.join(following)}"
            )
        raise SystemExit(status or _NOTHING_RECORDED)
