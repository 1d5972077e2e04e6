"""Runs a command with a network device that holds each IP packet for a while."""

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.launch import child
from latitude.launch.build import own_program
from latitude.launch.child import Ended

PROGRAM = "relay"
LONGEST_NAME = 15
"""Largest length of a network device's name, bytes."""
_DEVICE = Path("/dev/net/tun")
_STATUS = Path("/proc/self/status")
_CAP_NET_ADMIN = 12
_END_S = 5.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class RelayRequest:
    """The request for a relay."""

    command: Sequence[str]
    delay_ns: int
    device: str
    memory: int
    """Largest number of bytes that the relay holds, in packets."""


@dataclass(frozen=True, slots=True)
class Carried:
    """Counts of packets that passed the device."""

    packets: int
    """Packets that were passed on."""
    bytes: int
    refused: int
    """Packets that the kernel did not take back."""
    full: int
    """Number of times the buffer was full."""
    left: int
    """Packets that the relay still held when the command ended."""
    late_ns: int
    """Total lateness of packets after the time at which they were due, ns."""
    latest_ns: int


@dataclass(frozen=True, slots=True)
class Relayed:
    """The outcome of a relay."""

    ended: Ended
    carried: Carried | None
    """The relay's counts; None if the relay ended before the command."""


def lacking() -> tuple[str, str] | None:
    """The obstacle to network devices here, and its remedy; None without obstacle."""
    if not _DEVICE.exists():
        return f"{_DEVICE} is not there", "load the kernel's module tun (as root: modprobe tun)"
    if not _may_make_devices():
        return "this process may not make network devices (CAP_NET_ADMIN)", "run it as root"
    if not os.access(_DEVICE, os.R_OK | os.W_OK):
        return f"{_DEVICE} cannot be opened", "run it as root"
    return None


def _may_make_devices() -> bool:
    try:
        found = re.search(r"^CapEff:\s*([0-9a-f]+)$", _STATUS.read_text("ascii"), re.MULTILINE)
    except OSError:
        return os.geteuid() == 0
    return found is not None and bool(int(found[1], 16) >> _CAP_NET_ADMIN & 1)


def check_device(name: str) -> str:
    """The name, if a device can have it; otherwise InputError."""
    if len(name) > LONGEST_NAME or _NAME.fullmatch(name) is None:
        raise InputError(
            f"--device {name!r}: a device has 1 to {LONGEST_NAME} letters, digits, '_', '.' and "
            "'-', e.g. relay0"
        )
    return name


def relay(request: RelayRequest) -> Relayed:
    """Runs the command while the device exists.

    InputError: the device or the command cannot start.
    """
    missing = lacking()
    if missing is not None:
        raise InputError(f"the relay cannot work here: {missing[0]}; {missing[1]}")
    words = [str(own_program(PROGRAM)), request.device]
    words += [str(request.delay_ns), str(request.memory)]
    process = child.start(
        words, os.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        if process.stdout is None or process.stdout.readline() != b"ready\n":
            _, said = process.communicate()
            raise InputError(f"the device {request.device}: {said.decode().strip()}")
        ended = child.run(request.command, os.environ)
        carried = _told(process)
    finally:
        child.end(process, _END_S)
    return Relayed(ended, carried)


def _told(process: "subprocess.Popen[bytes]") -> Carried | None:
    """The relay's report at its end; None if the relay has already ended, or does not answer."""
    if process.poll() is not None:
        return None
    process.send_signal(signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        said, _ = process.communicate(timeout=_END_S)
        words = dict(word.split("=") for word in said.decode().split())
        return Carried(**{name: int(value) for name, value in words.items()})
    return None
