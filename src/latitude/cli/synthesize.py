"""`latitude synthesize`: traces of known structure, of any length."""

import argparse
import sys
from pathlib import Path

from latitude._core import InputError
from latitude.cli import plain_options, progress
from latitude.files.writing import STDOUT, replace_directory
from latitude.notices.saying import say
from latitude.trace.recorded_run import PATTERN
from latitude.trace.synthetic import MOST_RANKS, PATTERNS, SyntheticTrace
from latitude.units.quantities import counted, parse_size, parse_time


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

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "pattern", metavar="PATTERN", choices=PATTERNS, help=", ".join(PATTERNS)
        )
        parser.add_argument(
            "--ranks",
            metavar="N",
            required=True,
            type=plain_options.whole("a number of ranks", 2, MOST_RANKS),
            help="ranks, at least 2",
        )
        parser.add_argument(
            "--operations",
            metavar="N",
            required=True,
            type=plain_options.whole("a number of operations", 1),
            help="MPI calls of all ranks together; whole steps come nearest below",
        )
        parser.add_argument(
            "--bytes",
            dest="message_bytes",
            metavar="SIZE",
            default=8192,
            type=plain_options.checked(lambda text: parse_size(text, "--bytes")),
            help="size of a message between neighbours (default: 8KiB)",
        )
        parser.add_argument(
            "--compute",
            metavar="TIME",
            default=1e6,
            type=plain_options.checked(lambda text: parse_time(text, "--compute")),
            help="computation of a rank in a step, in whole ns (default: 1ms)",
        )
        parser.add_argument(
            "-o",
            dest="directory",
            metavar="DIR",
            required=True,
            type=Path,
            help="directory to write the trace into, or - for a tar archive on standard output",
        )
        parser.add_argument("--force", action="store_true", help="overwrite a trace that exists")

    def run(self, arguments: argparse.Namespace) -> None:
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
