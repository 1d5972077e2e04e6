"""`latitude inject`: runs a program under injected latency."""

from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.cli import inject_ip
from latitude.cli.inject_ip import RelayOptions
from latitude.cli.outputs import Outputs, ResultOptions, directory_option
from latitude.cli.plain_options import CommandOptions, command_of, unit_option
from latitude.files.writing import write_new
from latitude.launch.injecting.described import described, lines
from latitude.launch.injecting.latency import MOST_SEED, InjectedLatency, parse_latency
from latitude.launch.injecting.session import DESCRIPTION, InjectionRequest, inject
from latitude.launch.injecting.verdict import nothing_hooked
from latitude.launch.side import side_of
from latitude.notices.saying import say
from latitude.results.injection import FLOW, OFF, VERBS, Layer
from latitude.units.options import flag, option, whole

DIRECTORY = Path("latitude-inject")
_NOTHING_HOOKED = 2
_OF_MPI = ("unit", "seed", "intra_node", "per_wr", "go_on", "json")
"""Options that apply to MPI messages only."""


@dataclass(kw_only=True)
class InjectOptions(CommandOptions, ResultOptions, RelayOptions):
    """A command, and the delay of its messages."""

    flow: str | None = option(
        "delay messages between nodes", "LATENCY", alternative="layer", required=True
    )
    verbs: str | None = option(
        "delay posts to InfiniBand or RoCE", "LATENCY", alternative="layer", required=True
    )
    ip: int | None = option(
        "delay IP packets that are routed through a device, at most 60s; needs root",
        "TIME",
        inject_ip.parse_delay,
        alternative="layer",
        required=True,
    )
    off: bool = flag("delay nothing; only measure the run time", alternative="layer", required=True)
    seed: int | None = option(
        "seed of the random numbers (default: the table's .seed file, else 1)",
        "N",
        whole("a seed", most=MOST_SEED),
    )
    intra_node: bool = flag(
        "delay messages within a node, too; makes MPI send them through its network"
    )
    per_wr: bool = flag("with --verbs: a delay for each work request instead of one for each post")
    go_on: bool = flag(
        "with --flow: let a program run even if its MPI has opened no network that can be"
        " delayed, because the program opens one itself (default: end the program when "
        "MPI_Init returns)"
    )
    unit: str | None = unit_option("the table")
    directory: Path = directory_option("the table, the ranks' counts and inject.json", DIRECTORY)


class InjectCommand:
    """Runs a program with delayed messages."""

    description = """\
Runs COMMAND with latency added to its messages: on the wire (--flow: each message reaches its
receiver that much later, senders are not delayed), at the verbs (--verbs: each post waits first) or
below IP (--ip: each packet, whatever program it is of; between hosts, and with root).
Neither the program nor its MPI is rebuilt. LATENCY is a time (20us), a table (table.dist) or a
distribution in words: lognormal(p50=5us,p99=40us). Standard streams and exit status are the
command's; requested and achieved latencies go to standard error when the command has ended. If
nothing was delayed, the exit status is 2, with the reason; if Latitude knows this once MPI has
started, it ends the command then."""
    example = "latitude inject --flow 20us -- mpirun -n 8 ./app"
    options = InjectOptions

    def run(self, arguments: InjectOptions) -> None:
        """Runs the program, and exits with the program's status."""
        command = command_of(arguments, "latitude inject --flow 20us -- mpirun -n 8 ./app")
        if arguments.ip is not None:
            _refuse_of_mpi(arguments)
            inject_ip.run_relay(arguments, arguments.ip, command)
        with side_of(command).errors_said_once():
            request = _request(arguments, command)
            outputs = Outputs.of(arguments)
        injected = inject(request)
        result = described(injected)
        text = result.to_json()
        if injected.counts:
            write_new(request.directory / DESCRIPTION, text, force=True)
        outputs.write_json(lambda: text)
        # If Latitude ended the run, the status is Latitude's, not the program's.
        status = 0 if injected.in_vain else injected.ended.status
        if any(each.refused for each in injected.counts):
            raise SystemExit(status or _NOTHING_HOOKED)  # the ranks have printed the reason
        if injected.in_vain or not injected.hooked:
            kind = "warning" if status else "error"
            say(f"latitude: {kind}: {nothing_hooked(injected)}")
            raise SystemExit(status or _NOTHING_HOOKED)
        first, *others = lines(injected)
        say(f"latitude: {first}")
        for line in others:
            say(f"  {line}")
        for notice in result.warnings:
            say(f"latitude: warning: {notice.message}; {notice.hint}")
        raise SystemExit(status)


def _refuse_of_mpi(arguments: InjectOptions) -> None:
    for name in _OF_MPI:
        if getattr(arguments, name):
            option = name.replace("_", "-")
            raise InputError(f"--{option} is for messages of MPI; leave it out with --ip")


def _request(arguments: InjectOptions, command: list[str]) -> InjectionRequest:
    if arguments.device or arguments.memory:
        raise InputError("--device and --memory need --ip, because only --ip makes a device")
    layer: Layer
    if arguments.off:
        layer, text = OFF, None
    else:
        layer = VERBS if arguments.flow is None else FLOW
        text = arguments.verbs if arguments.flow is None else arguments.flow
    if arguments.per_wr and layer != VERBS:
        raise InputError("--per-wr: work requests are posted at the verbs; use it with --verbs")
    if arguments.go_on and layer != FLOW:
        raise InputError("--go-on: only --flow ends programs that cannot be delayed")
    if arguments.intra_node and layer == VERBS:
        raise InputError("--intra-node: shared memory has no verbs; use it with --flow")
    latency = None if text is None else parse_latency(text, arguments.unit)
    if latency is not None and arguments.seed is not None:
        latency = InjectedLatency(latency.table, arguments.seed)
    return InjectionRequest(
        command=command,
        directory=arguments.directory,
        layer=layer,
        latency=latency,
        intra_node=arguments.intra_node,
        per_wr=arguments.per_wr,
        go_on=arguments.go_on,
        force=arguments.force,
    )
