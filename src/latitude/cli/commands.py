"""Names of the commands with one line each, so that the help need not import the commands."""

import argparse
from importlib import import_module

from latitude._version import __version__
from latitude.cli.command import Command, add_command
from latitude.cli.parser import CommandParser, Parser

GROUPS = {
    "Start": {
        "demo": "analyse the LULESH trace that ships with Latitude, and write its page",
        "run": "record and analyse an MPI program in one command",
        "doctor": "report MPIs, launchers, devices, and the cost of each missing part",
    },
    "Record": {
        "trace": "record an unmodified MPI program",
        "env": "print the exports that trace a program, for job scripts",
    },
    "Analyse": {
        "analyze": "compute how much latency the program in a trace or GOAL file tolerates",
        "diff": "compare two runs: time, waits, critical path, tolerance",
        "scaling": "compare efficiencies of one program at several sizes, and project them",
        "check": "check demands on tolerance, efficiency and runtime, as a gate in CI",
        "explain": "sum up a result in three sentences, for a merge request's comment",
        "place": "find the placement of ranks on nodes with the shortest predicted runtime",
        "forecast": "predict the distribution of runtime under random latency",
        "map": "map runtime over latency, bandwidth, overhead and computation at once",
    },
    "Network": {
        "network": "choose the network of all answers: your cluster's, once",
        "measure": "measure LogGPS parameters, latency samples, congestion, slow nodes",
    },
    "Experiment": {
        "inject": "run a program under injected network latency",
        "validate": "predict a program's runtime under latency, measure it, and compare",
        "campaign": "run many programs, levels of latency and repetitions, resumable",
    },
    "Data": {
        "fit": "fit distributions to latency samples, and write tables to inject",
        "stats": "examine measured latencies: tails, modes, comparisons, correlations",
        "background": "relate background traffic in the Slurm queue to latency",
    },
    "Other": {
        "convert": "turn a trace or GOAL file into GOAL, or a trace into OTF2",
        "lp": "check the engine with LLAMP's linear program, or write it as MPS or LP",
        "synthesize": "write traces and graphs of known structure, of any length",
        "completion": "print completions of commands and options for bash, zsh or tcsh",
        "help": "explain a command, or a topic: parameters, nodes, traces, collectives",
    },
}
"""One line for each command, in the order of `latitude --help`.

The command is the class `NameCommand` of `latitude.cli.name`.
"""

SUMMARIES = {name: line for group in GROUPS.values() for name, line in group.items()}
"""The lines of GROUPS without the groups."""


class _GroupedHelp(argparse.HelpFormatter):
    """Lists the commands under the titles of their groups."""

    def _format_action(self, action: argparse.Action) -> str:
        listed = {each.dest: each for each in self._iter_indented_subactions(action)}
        if not listed:
            return super()._format_action(action)
        parts = []
        for title, group in GROUPS.items():
            parts.append(f"  {title}:\n")
            self._indent()
            parts += [self._format_action(listed[name]) for name in group]
            self._dedent()
        return self._join_parts(parts)


def command(name: str) -> Command:
    """The command of this name; imports its module."""
    module = import_module(f"latitude.cli.{name}")
    return getattr(module, f"{name.capitalize()}Command")()  # type: ignore[no-any-return]


def build_parser(*chosen: str) -> Parser:
    """The parser of all commands.

    Args:
        chosen: the commands whose options to declare; only their modules are imported.
    """
    parser = Parser(
        prog="latitude",
        description="How much network latency a parallel program tolerates.",
        epilog="Start with `latitude demo`; `latitude help COMMAND` explains a command. Exit "
        "status: 0 when the work is done, 2 when input or options are wrong, 70 when Latitude "
        "itself is at fault.",
        usage="%(prog)s COMMAND ...",
        allow_abbrev=False,
        formatter_class=_GroupedHelp,
    )
    parser.add_argument("-V", "--version", action="version", version=f"latitude {__version__}")
    below = parser.add_subparsers(
        title="commands",
        metavar="COMMAND",
        required=True,
        parser_class=CommandParser,
        prog="latitude",
    )
    for name, summary in SUMMARIES.items():
        if name in chosen:
            add_command(below, name, command(name), help=summary)
        else:
            below.add_parser(name, help=summary)
    return parser
