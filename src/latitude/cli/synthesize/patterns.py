"""`latitude synthesize halo` and similar: traces of known structure and any length."""

import sys
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.cli import progress
from latitude.files.writing import STDOUT, replace_directory
from latitude.notices.saying import say
from latitude.trace.recorded_run import PATTERN
from latitude.trace.synthetic import MOST_RANKS, SyntheticTrace
from latitude.units.options import Options, flag, option, whole
from latitude.units.quantities import counted, parse_size, parse_time


@dataclass(kw_only=True)
class PatternOptions(Options):
    """A synthetic program."""

    ranks: int = option(
        "ranks, at least 2", "N", whole("a number of ranks", 2, MOST_RANKS), required=True
    )
    calls: int = option(
        "MPI calls of all ranks together; Latitude makes as many whole steps as fit",
        "N",
        whole("a number of calls", 1),
        required=True,
    )
    message_bytes: int = option(
        "size of a message between neighbours (default: 8KiB)",
        "SIZE",
        lambda text: parse_size(text, "--bytes"),
        default=8192,
        spelled="--bytes",
    )
    compute: float = option(
        "computation of a rank in a step, in whole ns (default: 1ms)",
        "TIME",
        lambda text: parse_time(text, "--compute"),
        default=1e6,
    )
    directory: Path = option(
        "directory to write the trace into, or - for a tar archive on standard output",
        "DIR",
        Path,
        spelled="-o",
        required=True,
    )
    force: bool = flag("overwrite a trace that exists")


class Pattern:
    """Writes the trace of a program whose steps are all equal."""

    options = PatternOptions

    def __init__(self, name: str, summary: str) -> None:
        self.name = name
        self.summary = summary
        self.description = f"""\
Writes a trace in Latitude's own format of a program in which
{summary}.
All ranks compute for equal times. The command prints its assumptions."""
        self.example = f"latitude synthesize {name} --ranks 64 --calls 1,000,000 -o {name}"

    def run(self, arguments: PatternOptions) -> None:
        made = SyntheticTrace(
            pattern=self.name,
            ranks=arguments.ranks,
            asked_calls=arguments.calls,
            message_bytes=arguments.message_bytes,
            compute_ns=round(arguments.compute),
        )
        directory: Path = arguments.directory
        if directory == STDOUT:
            if sys.stdout.isatty():
                raise InputError(
                    "-o -: standard output is a terminal; pipe the output into a command, or name "
                    "a folder"
                )
            with progress.shown() as display:
                made.write_archive(sys.stdout.buffer, display)
        else:
            with progress.shown() as display:
                replace_directory(
                    directory,
                    [PATTERN],
                    lambda path: made.write_folder(path, display),
                    force=arguments.force,
                )
        where = "standard output" if directory == STDOUT else str(directory)
        size = f"{counted(made.ranks, 'rank')}, {counted(made.steps, 'step')}"
        say(f"{where}: {size}, {counted(made.calls, 'MPI call')}")
        for line in made.assumptions():
            say(line)


PATTERNS = (
    Pattern("halo", "ranks in a ring exchange messages with both neighbours"),
    Pattern(
        "wavefront", "ranks in a grid receive from west and north, compute, send to east and south"
    ),
    Pattern("cg", "ranks exchange messages as in halo, then take part in two reductions of 8 B"),
)
