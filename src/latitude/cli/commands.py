"""The commands: names and one line each, so that the help needs to import none of them."""

from importlib import import_module

from latitude._version import __version__
from latitude.cli.command import Command, add_command
from latitude.cli.parser import CommandParser, Parser

SUMMARIES = {
    "demo": "analyse the LULESH trace that ships with Latitude and write its page",
    "run": "record an MPI program and analyse it, in one command",
    "trace": "record an unmodified MPI program",
    "analyze": "how much latency the program in a trace or GOAL file tolerates",
    "scaling": "efficiencies of one program at several sizes, and their projection",
    "check": "a gate for CI: demands on tolerance and efficiency, and no slower than before",
    "diff": "what changed between two runs: time, waits, critical path, tolerance",
    "explain": "three sentences about a result, for a merge request's comment",
    "forecast": "distribution of a program's runtime under random latency",
    "map": "runtime over latency, bandwidth, overhead and computation at once",
    "lp": "check the engine with LLAMP's linear program, or write it as MPS or LP",
    "place": "find the placement of ranks on nodes with the least predicted runtime",
    "convert": "turn a trace or GOAL file into GOAL, as LogGOPSim reads it, or a trace into OTF2",
    "synthesize": "write traces of known structure, of any length, of programs that nobody ran",
    "fit": "fit distributions to latency samples, and write tables to inject",
    "stats": "tails, modes, comparisons and correlations of measured latencies",
    "inject": "run a program under injected network latency",
    "measure": "measure the network: LogGPS parameters, latency samples, congestion, slow nodes",
    "network": "choose the network that answers are for: your cluster's, once",
    "campaign": "real runs under injected latency: programs × levels × repetitions, resumable",
    "validate": "predict a program's runtime under latency, measure it, compare",
    "background": "background traffic from the Slurm queue, what latency has to do with it",
    "doctor": "report MPIs, launchers, devices and what each missing part costs",
    "env": "print the exports that trace a program, for job scripts",
    "completion": "print what makes bash, zsh or tcsh complete commands and options",
    "help": "explain a command, or what several share: parameters, nodes, traces, collectives",
}
"""In the order of `latitude --help`; each is the class `NameCommand` of `latitude.cli.name`."""


def command(name: str) -> Command:
    """The command of that name, its module imported."""
    module = import_module(f"latitude.cli.{name}")
    return getattr(module, f"{name.capitalize()}Command")()  # type: ignore[no-any-return]


def build_parser(*chosen: str) -> Parser:
    """The parser of all commands.

    Args:
        chosen: the commands whose options are declared; their modules alone are imported.
    """
    parser = Parser(
        prog="latitude",
        description="How much network latency a parallel program tolerates.",
        epilog="Start with `latitude demo`; `latitude help COMMAND` explains a command. Exit "
        "status: 0 when the work is done, 2 when input or options are wrong, 70 when Latitude "
        "itself is at fault.",
        usage="%(prog)s COMMAND ...",
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="version", version=f"latitude {__version__}")
    below = parser.add_subparsers(
        metavar="COMMAND", required=True, parser_class=CommandParser, prog="latitude"
    )
    for name, summary in SUMMARIES.items():
        if name in chosen:
            add_command(below, name, command(name), help=summary)
        else:
            below.add_parser(name, help=summary)
    return parser
