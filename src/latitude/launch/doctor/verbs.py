"""Checks whether programs here post by verbs, which `latitude inject --verbs` can delay."""

from collections.abc import Iterator
from ctypes.util import find_library
from pathlib import Path

from latitude.results.doctor import MISSING, NOTE, OK, Finding

DEVICES = Path("/sys/class/infiniband")
_AREA = "injection"
_NAME = "verbs"
_BYPASSED = ("mlx5_core",)
"""Drivers of devices to which UCX writes directly, through rc_mlx5, dc_mlx5 and ud_mlx5."""


def verbs(devices: Path = DEVICES) -> Iterator[Finding]:
    """A finding about the library, its devices, and devices on which UCX bypasses the library."""
    library = find_library("ibverbs")
    found = sorted(devices.iterdir()) if devices.is_dir() else []
    bypassed = [device.name for device in found if _driver(device) in _BYPASSED]
    facts = {
        "library": library,
        "devices": [device.name for device in found],
        "bypassed": bypassed,
    }
    costs = "`latitude inject --verbs` has nothing to delay; --flow needs no verbs"
    if library is None:
        remedy = "install libibverbs (Debian: libibverbs1 ibverbs-providers)"
        yield Finding(
            area=_AREA,
            name=_NAME,
            state=MISSING,
            found="libibverbs is not installed",
            costs=costs,
            remedy=remedy,
            facts=facts,
        )
    elif not found:
        said, remedy = f"{library}, but no RDMA device", "run on a node with InfiniBand or RoCE"
        yield Finding(
            area=_AREA, name=_NAME, state=NOTE, found=said, costs=costs, remedy=remedy, facts=facts
        )
    elif bypassed:
        yield Finding(
            area=_AREA,
            name=_NAME,
            state=NOTE,
            found=f"{library}; on {', '.join(bypassed)} UCX prefers rc_mlx5, dc_mlx5 and ud_mlx5, "
            "which bypass it",
            costs="`latitude inject --verbs` does not delay what UCX sends there",
            remedy="UCX_TLS=rc_v,ud_v,self",
            facts=facts,
        )
    else:
        said = f"{library}; UCX posts by it on {', '.join(device.name for device in found)}"
        yield Finding(area=_AREA, name=_NAME, state=OK, found=said, facts=facts)


def _driver(device: Path) -> str:
    """Driver of the hardware below an RDMA device; empty for soft devices."""
    return (device / "device" / "driver").resolve().name
