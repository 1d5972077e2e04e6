"""`latitude relay`: IP packets that take longer, whatever the program."""

import argparse

from latitude._core import InputError
from latitude.cli.plain_options import add_command, checked, command_of
from latitude.launch.relaying.device import Carried, RelayRequest, check_device, relay
from latitude.notices.saying import say
from latitude.units.quantities import counted, format_size, format_time, parse_size, parse_time

_DEVICE = "relay0"
_MEMORY = 64 << 20
_LEAST_MEMORY = 1 << 20
_MOST_MEMORY = 1 << 36
_MOST_NS = 60e9
_STOPPED = 2


class RelayCommand:
    """The other way to a slower network: below IP, with no hook in the program."""

    description = """\
Makes a network device that gives back each IP packet TIME after it was sent into it, for as long
as COMMAND runs. What is routed through the device is slower by that, in each direction, whatever
program and MPI it comes from: a second opinion on latency that `latitude inject` adds, between
network namespaces, containers or virtual machines. Needs root (CAP_NET_ADMIN) and /dev/net/tun.
The routes are yours to set; the exit status is the command's."""
    example = "latitude relay --delay 5ms --device relay0 -- ./routes-and-run.sh"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_command(parser, "--delay TIME [OPTIONS] -- COMMAND ...")
        parser.add_argument(
            "--delay",
            metavar="TIME",
            type=checked(_delay),
            required=True,
            help="of each packet: 5ms (at most 60s)",
        )
        parser.add_argument(
            "--device",
            metavar="NAME",
            type=checked(check_device),
            default=_DEVICE,
            help=f"the name of the device (default: {_DEVICE})",
        )
        parser.add_argument(
            "--memory",
            metavar="SIZE",
            type=checked(_memory),
            default=_MEMORY,
            help="how much is held at most; more waits in the kernel, which then drops packets "
            f"(default: {format_size(_MEMORY)})",
        )

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work; exits as the command did."""
        command = command_of(arguments, "latitude relay --delay 5ms -- ./routes-and-run.sh")
        request = RelayRequest(command, arguments.delay, arguments.device, arguments.memory)
        done = relay(request)
        if done.carried is None:
            say("latitude: error: the relay ended before the command; what came later is undelayed")
            raise SystemExit(done.ended.status or _STOPPED)
        for line in _said(request, done.carried):
            say(f"latitude: {line}")
        raise SystemExit(done.ended.status)


def _delay(text: str) -> int:
    """Whole ns."""
    ns = parse_time(text, "--delay", "5ms")
    if not 0 <= ns <= _MOST_NS:
        raise InputError(f"--delay {text!r} is not between 0 and 60s")
    return round(ns)


def _memory(text: str) -> int:
    size = parse_size(text, "--memory", "64MiB")
    if not _LEAST_MEMORY <= size <= _MOST_MEMORY:
        raise InputError(f"--memory {text!r} is not between 1MiB and 64GiB")
    return size


def _said(request: RelayRequest, carried: Carried) -> list[str]:
    """What was carried, and what was not."""
    if carried.packets == 0:
        hint = "route packets through it (`latitude relay --help`, docs/commands/relay.md)"
        return [f"warning: nothing came to {request.device}; {hint}"]
    came = f"{counted(carried.packets, 'packet')}, {format_size(carried.bytes)}"
    mean = format_time(carried.late_ns / carried.packets, 3)
    late = f"{mean} on average and {format_time(carried.latest_ns, 3)} at most"
    delay = format_time(request.delay_ns)
    lines = [
        f"{request.device}: {came}, each {delay} later; after that, {late} until they went on",
    ]
    if carried.refused:
        lines.append(f"warning: the kernel did not take {counted(carried.refused, 'packet')} back")
    if carried.full:
        lines.append(
            f"warning: {counted(carried.full, 'time')} there was no room for more packets, which "
            "made them later or lost them; give more --memory"
        )
    return lines
