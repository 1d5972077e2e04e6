"""`latitude trace`: an unmodified program, recorded."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from latitude.cli import plain_options
from latitude.cli.plain_options import CommandOptions
from latitude.cli.traced import TracingOptions
from latitude.launch.tracing.session import Traced, TraceRequest, trace
from latitude.launch.tracing.verdict import problems
from latitude.notices.saying import say
from latitude.units.options import flag
from latitude.units.quantities import counted, format_share, format_size, format_time

if TYPE_CHECKING:
    from latitude.cli.run import RunOptions

_TOLD = 1e-4
"""An overhead below this is not told more exactly: it is an estimate."""
_NEXT_TO_NOTHING = f"under {format_share(_TOLD)}"


@dataclass(kw_only=True)
class TraceOptions(CommandOptions, TracingOptions):
    """A command to trace."""

    force: bool = flag("overwrite a trace that exists")


class TraceCommand:
    """The way from a program to a trace."""

    description = """\
Runs COMMAND and records the MPI calls of its ranks: C, C++, Fortran or Python, unmodified. Works
left of the launcher (latitude trace -o run -- mpirun -n 8 ./app) and right of it
(mpirun -n 8 latitude trace -o run -- ./app). Standard streams and exit status are the command's;
what latitude has to say goes to standard error when the command has ended."""
    example = "latitude trace -o run -- mpirun -n 8 ./app input"
    options = TraceOptions

    def run(self, arguments: TraceOptions) -> None:
        """Does its work; exits as the command did."""
        command = plain_options.command_of(arguments, "latitude trace -o run -- mpirun -n 8 ./app")
        traced = recorded(command, arguments.directory, arguments)
        if traced.files:
            following = [_own_name(), "analyze", str(traced.request.directory)]
            say(f"Next: {shlex.join(following)}")
        raise SystemExit(traced.ended.status)


def recorded(command: list[str], directory: Path, arguments: "TraceOptions | RunOptions") -> Traced:
    """Runs a command under the tracer, as the options say, and says what came of it."""
    traced = trace(
        TraceRequest(
            command=command,
            directory=directory,
            clock=arguments.clock,
            mpicc=arguments.mpicc,
            force=arguments.force,
            stacks=arguments.stacks,
        )
    )
    for line in _said(traced):
        say(line)
    return traced


def _said(traced: Traced) -> list[str]:
    """The summary, and what went wrong."""
    directory, files = traced.request.directory, traced.files
    if traced.nothing is not None:
        return [f"latitude: warning: {traced.nothing}"]
    lines = [f"latitude: {summary(traced)}"]
    lines += [f"latitude: warning: {problem}" for problem in problems(files, directory)]
    if traced.clocks.problem is not None:
        lines.append(f"latitude: warning: {traced.clocks.problem}")
    if traced.undescribed is not None:
        lines.append(f"latitude: warning: {traced.undescribed}")
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
    """How well the clocks of several hosts are known, and what the messages say of it."""
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
    """The directory, as a shell takes it."""
    return shlex.quote(str(traced.request.directory))


def _own_name() -> str:
    """What was typed to start us, so that the next command can be typed as shown."""
    typed = Path(sys.argv[0])
    if typed.name != "latitude":
        return "latitude"
    return "latitude" if typed.is_absolute() else str(typed)
