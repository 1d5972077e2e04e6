"""What the relay needs of this machine."""

import os
import re
from pathlib import Path

_DEVICE = Path("/dev/net/tun")
_STATUS = Path("/proc/self/status")
_CAP_NET_ADMIN = 12


def lacking() -> tuple[str, str] | None:
    """What keeps network devices from being made here, and what to do; None where nothing does."""
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
