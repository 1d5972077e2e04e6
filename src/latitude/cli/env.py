"""`latitude env`: prints the environment variables of `trace`, for job scripts."""

import shlex
import sys
from dataclasses import dataclass
from shutil import which

from latitude._core import InputError
from latitude.cli.traced import TracingOptions
from latitude.launch.build import library
from latitude.launch.choose import choose
from latitude.launch.tracing.session import LIBRARY, variables
from latitude.units.options import argument, flag


@dataclass(kw_only=True)
class EnvOptions(TracingOptions):
    """Options of the tracer in a job script."""

    force: bool = flag("let the ranks overwrite a trace that exists")
    program: str | None = argument(
        "the program to trace, to build the tracer for its MPI", "PROGRAM", count="?"
    )


class EnvCommand:
    """Prints variables that start the tracer without `latitude trace`."""

    description = """\
Builds the tracer if necessary and prints shell lines that switch it on. After eval "$(latitude
env -o run)" in a job script, the next MPI program is traced; `latitude analyze run` reads the
result."""
    example = 'eval "$(latitude env -o run ./app)"'
    options = EnvOptions

    def run(self, arguments: EnvOptions) -> None:
        command = [] if arguments.program is None else [arguments.program]
        if arguments.program is not None and which(arguments.program) is None:
            raise InputError(f"{arguments.program}: no such program; give the one to trace")
        choice = choose(command, None, arguments.mpicc)
        if choice.application is not None and choice.application.sanitizer is not None:
            raise InputError(
                f"{arguments.program} is built with a sanitizer "
                f"({choice.application.sanitizer.name}), which must be loaded first, and not into "
                "the whole script; put latitude trace right before the program instead"
            )
        chosen = choice.mpi
        path = library(LIBRARY, chosen)
        exports = variables(path, arguments.directory, arguments.clock, arguments.stacks, {})
        preload = exports.pop("LD_PRELOAD")
        if arguments.force:
            exports["LATITUDE_TRACE_FORCE"] = "1"
        lines = [f"# {chosen}, {chosen.mpicc}"]
        lines += [f"export {name}={shlex.quote(value)}" for name, value in exports.items()]
        lines.append(f"export LD_PRELOAD={shlex.quote(preload)}${{LD_PRELOAD:+:$LD_PRELOAD}}")
        sys.stdout.write("\n".join(lines) + "\n")
