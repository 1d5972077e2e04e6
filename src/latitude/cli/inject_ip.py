"""`latitude inject --ip`: delays IP packets of any program."""

from dataclasses import dataclass
from typing import NoReturn

from latitude._core import InputError
from latitude.launch.relay import Carried, RelayRequest, check_device, relay
from latitude.notices.saying import say
from latitude.units.options import Options, option
from latitude.units.quantities import counted, format_size, format_time, parse_size, parse_time

_DEVICE = "relay0"
_MEMORY = 64 << 20
_LEAST_MEMORY = 1 << 20
_MOST_MEMORY = 1 << 36
_MOST_NS = 60e9
_STOPPED = 2


def _memory(text: str) -> int:
    size = parse_size(text, "--memory", "64MiB")
    if not _LEAST_MEMORY <= size <= _MOST_MEMORY:
        raise InputError(f"--memory {text!r} is not between 1MiB and 64GiB")
    return size


@dataclass(kw_only=True)
class RelayOptions(Options, topic="with --ip (docs/how-to/inject-ip.md)"):
    """The options for `--ip`."""

    device: str | None = option(
        f"name of the network device (default: {_DEVICE})", "NAME", check_device
    )
    memory: int | None = option(
        "bytes of packets that are held at most; more packets wait in the kernel, which then "
        f"drops some (default: {format_size(_MEMORY)})",
        "SIZE",
        _memory,
    )


def run_relay(arguments: RelayOptions, delay_ns: int, command: list[str]) -> NoReturn:
    """Runs the command while the device exists, and exits with the command's status."""
    request = RelayRequest(
        command, delay_ns, arguments.device or _DEVICE, arguments.memory or _MEMORY
    )
    done = relay(request)
    if done.carried is None:
        say("latitude: error: the relay ended before the command; what came later is undelayed")
        raise SystemExit(done.ended.status or _STOPPED)
    for line in _said(request, done.carried):
        say(f"latitude: {line}")
    raise SystemExit(done.ended.status)


def parse_delay(text: str) -> int:
    """Parses a delay into whole ns."""
    ns = parse_time(text, "--ip", "5ms")
    if not 0 <= ns <= _MOST_NS:
        raise InputError(f"--ip {text!r} is not between 0 and 60s")
    return round(ns)


def _said(request: RelayRequest, carried: Carried) -> list[str]:
    """Lines about carried packets and lost packets."""
    if carried.packets == 0:
        hint = "route packets through it (docs/how-to/inject-ip.md)"
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
