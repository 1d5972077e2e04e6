"""`latitude run`: from a program to its report in one command."""

import argparse
import shlex
from pathlib import Path

from latitude._core import InputError
from latitude.cli import options
from latitude.cli.analyze import FILES, add_questions, analysis_of
from latitude.cli.outputs import Outputs, add_results
from latitude.cli.trace import said
from latitude.launch import launcher
from latitude.launch.tracing.session import TraceRequest, trace
from latitude.notices.saying import say
from latitude.render.documents.analysis import analysis_document

DIRECTORY = Path("latitude-run")
TRACE = "trace"
_NOTHING_RECORDED = 2


class RunCommand:
    """`trace` and `analyze` in one."""

    description = """\
Runs COMMAND, records the MPI calls of its ranks (as `latitude trace` does), analyses the trace (as
`latitude analyze` does) and leaves both in DIR: the trace in DIR/trace, the page in
DIR/report.html. When the command fails, its exit status is passed on and nothing is analysed."""
    example = "latitude run -o result -- mpirun -n 8 ./app input"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        options.add_command(parser)
        add_questions(parser)
        options.add_network(parser)
        group = options.add_graph(parser)
        options.add_replay(group)
        options.add_mpicc(group)
        add_results(parser, "the trace, the page and the data", default=DIRECTORY)

    def run(self, arguments: argparse.Namespace) -> None:
        command = options.command_of(arguments, "latitude run -- mpirun -n 8 ./app")
        if launcher.find(command) is None and launcher.rank_of_this_process() is not None:
            raise InputError(
                "put `latitude run` left of the launcher: latitude run -- mpirun -n 8 ./app"
            )
        outputs = Outputs.of(arguments, *FILES)
        options.network_of(arguments)  # what is wrong there is said before the program runs
        directory = arguments.directory / TRACE
        traced = trace(
            TraceRequest(
                command=command,
                directory=directory,
                clock=arguments.clock,
                mpicc=arguments.mpicc,
                force=arguments.force,
            )
        )
        for line in said(traced):
            say(line)
        status = traced.ended.status
        if status or not traced.files:
            if traced.files:
                say(
                    "latitude: the command failed; for what all ranks completed: latitude analyze "
                    f"--incomplete {shlex.quote(str(directory))}"
                )
            raise SystemExit(status or _NOTHING_RECORDED)
        say("")
        outputs.give(analysis_document(analysis_of(directory, arguments)))
