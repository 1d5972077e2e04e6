"""`latitude inject`: a real program under injected latency."""

import argparse
import json
import sys
from pathlib import Path

from latitude._core import InputError
from latitude.cli.options import checked
from latitude.distributions.cells import constant_table
from latitude.distributions.specification import parse_table
from latitude.distributions.table import Table, read_table, seed_path
from latitude.files import refuse_existing, write_new
from latitude.runtime.injecting.described import described, lines
from latitude.runtime.injecting.session import DESCRIPTION, FLOW, VERBS, Request, inject
from latitude.runtime.injecting.verdict import nothing_hooked, problems
from latitude.units import parse_time

DIRECTORY = Path("latitude-inject")
_NOTHING_HOOKED = 2
_STDOUT = Path("-")


class Inject:
    """The way from a distribution to a slower network."""

    name = "inject"
    summary = "run a program under injected network latency"
    description = """\
Runs COMMAND with latency added to its messages: on the wire (--flow: each message reaches its
receiver that much later, senders are not delayed) or at the verbs (--verbs: each post waits first).
Neither the program nor its MPI is rebuilt. LATENCY is a time (20us), a table (table.dist) or a
distribution in words: lognormal(p50=5us,p99=40us). Standard streams and exit status are the
command's; what was asked and achieved goes to standard error when the command has ended. The exit
status is 2 when nothing was delayed, with the reason."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""
        parser.usage = "%(prog)s (--flow LATENCY | --verbs LATENCY) [OPTIONS] -- COMMAND ..."
        parser.add_argument("command_line", metavar="COMMAND", nargs=argparse.REMAINDER)
        layer = parser.add_mutually_exclusive_group(required=True)
        layer.add_argument("--flow", metavar="LATENCY", help="delay messages between nodes")
        layer.add_argument("--verbs", metavar="LATENCY", help="delay posts to InfiniBand or RoCE")
        parser.add_argument(
            "--unit", metavar="UNIT", help="unit of a table that has none: ns, us, ms or s"
        )
        parser.add_argument(
            "--seed",
            metavar="N",
            type=checked(_seed),
            help="where random numbers start (default: the table's .seed file, else 1)",
        )
        parser.add_argument(
            "--intra-node",
            action="store_true",
            help="delay messages within a node, too; makes MPI send them through UCX",
        )
        parser.add_argument(
            "--per-wr",
            action="store_true",
            help="with --verbs: a delay for each work request instead of one for each post",
        )
        parser.add_argument(
            "-o",
            dest="directory",
            metavar="DIR",
            type=Path,
            default=DIRECTORY,
            help=f"directory for the table and what the ranks count (default: {DIRECTORY})",
        )
        parser.add_argument(
            "--json", metavar="FILE", type=Path, help="write the result to FILE, or - for stdout"
        )
        parser.add_argument("--force", action="store_true", help="overwrite results that exist")

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work; exits as the command did."""
        request = _request(arguments)
        to_file = arguments.json is not None and arguments.json != _STDOUT
        if to_file:
            refuse_existing([arguments.json], force=arguments.force)
        injected = inject(request)
        text = json.dumps(described(injected), indent=2, ensure_ascii=False) + "\n"
        if injected.counts:
            write_new(request.directory / DESCRIPTION, text, force=True)
        if to_file:
            write_new(arguments.json, text, force=arguments.force)
        elif arguments.json is not None:
            sys.stdout.write(text)
        status = injected.ended.status
        if not injected.hooked:
            kind = "warning" if status else "error"
            _say(f"latitude: {kind}: {nothing_hooked(injected)}")
            raise SystemExit(status or _NOTHING_HOOKED)
        first, *others = lines(injected)
        _say(f"latitude: {first}")
        for line in others:
            _say(f"  {line}")
        for problem in problems(injected):
            _say(f"latitude: warning: {problem}")
        raise SystemExit(status)


def _say(line: str) -> None:
    print(line, file=sys.stderr)  # noqa: T201


def _request(arguments: argparse.Namespace) -> Request:
    command = list(arguments.command_line)
    if command[:1] == ["--"]:
        command = command[1:]
    if not command:
        raise InputError("no command; write e.g. latitude inject --flow 20us -- mpirun -n 8 ./app")
    layer = FLOW if arguments.flow is not None else VERBS
    if arguments.per_wr and layer == FLOW:
        raise InputError("--per-wr: work requests are posted at the verbs; use it with --verbs")
    if arguments.intra_node and layer == VERBS:
        raise InputError("--intra-node: shared memory has no verbs; use it with --flow")
    text = arguments.flow if layer == FLOW else arguments.verbs
    table, beside = _latency(text, arguments.unit)
    return Request(
        command=command,
        directory=arguments.directory,
        layer=layer,
        table=table,
        seed=beside if arguments.seed is None else arguments.seed,
        intra_node=arguments.intra_node,
        per_wr=arguments.per_wr,
        force=arguments.force,
    )


def _latency(text: str, unit: str | None) -> tuple[Table, int]:
    """The table that words, a time or a file stand for, and the seed that stands beside it."""
    path = Path(text)
    if path.is_file():
        return read_table(path, unit), _seed_beside(path)
    if path.suffix == ".dist":
        raise InputError(f"{path}: no such file; write one with `latitude fit`, or give a time")
    if text[:1].isdigit() or text[:1] == ".":
        return constant_table(parse_time(text, "latency", "20us"), text), 1
    return parse_table(text, unit), 1


def _seed_beside(path: Path) -> int:
    beside = seed_path(path) if path.suffix != ".seed" else path
    if not beside.is_file():
        return 1
    return _seed(beside.read_text(encoding="utf-8"), str(beside))


def _seed(text: str, what: str = "seed") -> int:
    if not text.strip().isdecimal() or int(text) >= 1 << 64:
        raise InputError(f"{what}: '{text.strip()}' is no integer from 0 to 2^64 - 1")
    return int(text)
