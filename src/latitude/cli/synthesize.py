"""`latitude synthesize`: traces of known structure, of any length."""

import sys
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.cli import progress
from latitude.files.writing import STDOUT, replace_directory
from latitude.notices.saying import say
from latitude.trace.recorded_run import PATTERN
from latitude.trace.synthetic import MOST_RANKS, PATTERNS, SyntheticTrace
from latitude.units.options import Options, argument, flag, option, whole
from latitude.units.quantities import counted, parse_size, parse_time


@dataclass(kw_only=True)
class SynthesizeOptions(Options):
    """A program that nobody ran."""

    pattern: str = argument(", ".join(PATTERNS), "PATTERN", choices=PATTERNS)
    ranks: int = option(
        "ranks, at least 2", "N", whole("a number of ranks", 2, MOST_RANKS), required=True
    )
    operations: int = option(
        "MPI calls of all ranks together; whole steps come nearest below",
        "N",
        whole("a number of operations", 1),
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


class SynthesizeCommand:
    """Writes the trace of a program that nobody ran."""

    description = """\
Writes a trace in Latitude's own format of a program whose structure is known: to try a machine
that is planned, to see how answers follow from a pattern, to measure how fast traces are read.
  halo       ranks in a ring exchange with both neighbours
  wavefront  ranks in a grid receive from west and north, compute, send to east and south
  cg         halo, and two reductions of 8 B
What is assumed is printed."""
    example = "latitude synthesize halo --ranks 64 --operations 1,000,000 -o halo"
    options = SynthesizeOptions

    def run(self, arguments: SynthesizeOptions) -> None:
        made = SyntheticTrace(
            pattern=arguments.pattern,
            ranks=arguments.ranks,
            operations=arguments.operations,
            message_bytes=arguments.message_bytes,
            compute_ns=round(arguments.compute),
        )
        directory: Path = arguments.directory
        if directory == STDOUT:
            if sys.stdout.isatty():
                raise InputError(
                    "-o -: standard output is a terminal; pipe it on, or name a folder"
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
