"""`latitude trace`: records an unmodified program."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.cli import plain_options
from latitude.cli.plain_options import CommandOptions
from latitude.cli.traced import TracingOptions
from latitude.launch.tracing.session import Traced, TraceRequest, keep_places_of, trace
from latitude.launch.tracing.verdict import problems
from latitude.notices.saying import say, warn
from latitude.trace.recorded_run import read_run
from latitude.units.options import flag, option
from latitude.units.quantities import counted, format_share, format_size, format_time

_USELESS = 2
"""Exit status if the command succeeded but its trace is useless."""
_MOST_TRIED = 64 << 20
"""Largest size of an incomplete trace, bytes, up to which Latitude reads the trace to test whether
it can be analysed."""
_TOLD = 1e-4
"""Least overhead that is shown as a number; smaller estimates would not be exact."""
_NEXT_TO_NOTHING = f"under {format_share(_TOLD)}"


@dataclass(kw_only=True)
class TraceOptions(CommandOptions, TracingOptions):
    """A command to trace."""

    force: bool = flag("overwrite a trace that exists")
    pack: Path | None = option(
        "run nothing; on a machine with the program, look up the source lines of the trace in "
        "DIR, and keep them in DIR for other machines",
        "DIR",
        Path,
    )


class TraceCommand:
    """Records a program's trace."""

    description = """\
Runs COMMAND and records the MPI calls of its ranks: C, C++, Fortran or Python, unmodified. Works
left of the launcher (latitude trace -o run -- mpirun -n 8 ./app) and right of it
(mpirun -n 8 latitude trace -o run -- ./app). Standard streams and exit status are the command's;
Latitude's own messages go to standard error when the command has ended. The trace keeps its source
lines; `latitude trace --pack run` looks them up again on the machine of the program."""
    example = "latitude trace -o run -- mpirun -n 8 ./app input"
    options = TraceOptions

    def run(self, arguments: TraceOptions) -> None:
        """Records the trace, and exits with the command's status."""
        if arguments.pack is not None:
            _pack(arguments.pack)
            return
        command = plain_options.command_of(arguments, "latitude trace -o run -- mpirun -n 8 ./app")
        traced = recorded(
            TraceRequest(
                command=command,
                directory=arguments.directory,
                clock=arguments.clock,
                mpicc=arguments.mpicc,
                force=arguments.force,
                stacks=arguments.stacks,
            )
        )
        if following := next_command(traced):
            say(f"Next: {shlex.join([_own_name(), *following])}")
        raise SystemExit(traced.ended.status or (_USELESS if traced.apart else 0))


def _pack(directory: Path) -> None:
    """Keeps the source lines of a trace in its folder.

    InputError: the folder has no trace of Latitude.
    """
    files = read_run(directory)
    if not files:
        raise InputError(
            f"{directory}: no files of latitude trace (rank-*.lat) in it; give the directory of a "
            "trace"
        )
    warn(keep_places_of(directory, files))
    say(f"latitude: {directory}: keeps the source lines of its calls of MPI")


def recorded(request: TraceRequest) -> Traced:
    """Runs a command under the tracer, and reports the result."""
    traced = trace(request)
    for line in _said(traced):
        say(line)
    return traced


def _said(traced: Traced) -> list[str]:
    """The summary, and problems of the run."""
    directory, files = traced.request.directory, traced.files
    if traced.nothing is not None:
        return [f"latitude: warning: {traced.nothing}"]
    if traced.apart is not None:
        return [f"latitude: error: {traced.apart}"]
    lines = [f"latitude: {summary(traced)}"]
    lines += [f"latitude: warning: {problem}" for problem in problems(files, directory)]
    if traced.clocks.problem is not None:
        lines.append(f"latitude: warning: {traced.clocks.problem}")
    lines += [f"latitude: warning: {why}" for why in traced.unwritten]
    return lines


def summary(traced: Traced) -> str:
    """Ranks, calls, time, size and overhead in one line."""
    files, seconds = traced.files, traced.ended.seconds
    events = sum(file.events for file in files)
    calls = sum(file.calls for file in files)
    size = sum(file.size for file in files)
    each = sum(file.event_bytes for file in files) / max(events, 1)
    gap_ns = max(float(file.meta.get("null_gap_ns", 0)) for file in files)
    busiest = max(file.calls for file in files)
    share = busiest * gap_ns / (seconds * 1e9)
    cost = f"about {format_share(float(f'{share:.1g}'))}" if share > _TOLD else _NEXT_TO_NOTHING
    return (
        f"{directory_of(traced)}: {counted(len(files), 'rank')}, {counted(calls, 'MPI call')}, "
        f"{format_size(size)} ({each:.1f} B per event); the command took "
        f"{format_time(seconds * 1e9, 3)} with start and end of MPI; tracing added {cost} "
        f"({format_time(gap_ns, 2)} per call){_clocks(traced)}"
    )


def _clocks(traced: Traced) -> str:
    """The precision of the clocks of several hosts, and its check by messages."""
    files, order = traced.files, traced.clocks.order
    errors = [file.clock_error_ns for file in files if file.clock_error_ns is not None]
    if not errors:
        return ""
    hosts = counted(len({file.meta.get("host") for file in files}), "host")
    known = f"; the clocks of {hosts} are one to {format_time(max(errors), 2)}"
    if order is None or order.reversed:
        return known
    return f"{known}: none of {counted(order.messages, 'message')} arrives before it leaves"


def directory_of(traced: Traced) -> str:
    """The directory, quoted for a shell."""
    return shlex.quote(str(traced.request.directory))


def next_command(traced: Traced) -> list[str]:
    """The command that analyses the trace, after `latitude`; empty without such a command."""
    directory, files = traced.request.directory, traced.files
    if not files or traced.apart is not None:
        return []
    if all(file.ending == "finalised" for file in files):
        return ["analyze", str(directory)]
    # Imported here: most traces are whole, and the reader takes a tenth of a second to import.
    from latitude.trace.load import load  # noqa: PLC0415

    if sum(file.size for file in files) <= _MOST_TRIED:
        try:
            load(directory, incomplete=True)
        except InputError:
            return []
    return ["analyze", "--incomplete", str(directory)]


def _own_name() -> str:
    """The name by which the user called Latitude, for commands that the user can type as shown."""
    typed = Path(sys.argv[0])
    if typed.name != "latitude":
        return "latitude"
    return "latitude" if typed.is_absolute() else str(typed)
