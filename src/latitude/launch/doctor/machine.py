"""Examines the host: RDMA devices, cores, clocks."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from latitude.results.doctor import MISSING, NOTE, OK, Finding

_DEVICES = Path("/sys/class/infiniband")
_NODES = Path("/dev/infiniband")
_CPUINFO = Path("/proc/cpuinfo")
_CLOCK = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
_GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def rdma() -> Iterator[Finding]:
    """Findings about devices that verbs programs use."""
    devices = sorted(_DEVICES.iterdir()) if _DEVICES.is_dir() else []
    if not devices:
        yield Finding(
            area="RDMA",
            name="devices",
            state=MISSING,
            found=f"none in {_DEVICES}",
            costs="nothing to inject latency into below MPI on this host; tracing and analysis "
            "need none",
            remedy="run on a node with InfiniBand or RoCE",
            facts={"devices": []},
        )
        return
    usable = any(os.access(path, os.R_OK | os.W_OK) for path in _NODES.glob("uverbs*"))
    for device in devices:
        ports = [_text(port / "state") for port in sorted((device / "ports").iterdir())]
        states = ", ".join(port.partition(":")[2].strip() or port for port in ports)
        facts = {"device": device.name, "ports": states, "usable": usable}
        if usable:
            yield Finding(
                area="RDMA", name=device.name, state=OK, found=f"ports: {states}", facts=facts
            )
        else:
            yield Finding(
                area="RDMA",
                name=device.name,
                state=NOTE,
                found=f"ports: {states}; {_NODES}/uverbs* cannot be opened",
                costs="verbs programs cannot use it",
                remedy="ask for access, or load ib_uverbs",
                facts=facts,
            )


def processor() -> Iterator[Finding]:
    """Findings about cores, the cost of reading the clock, and the governor of the frequency."""
    info = _text(_CPUINFO)
    model = re.search(r"^model name\s*:\s*(.*)$", info, re.MULTILINE)
    flags = re.search(r"^flags\s*:\s*(.*)$", info, re.MULTILINE)
    has = set(flags[1].split()) if flags else set()
    cores = len(os.sched_getaffinity(0))
    virtual = "hypervisor" in has
    facts = {"cores": cores, "model": model[1] if model else None, "virtual": virtual}
    yield Finding(
        area="CPU",
        name="cores",
        state=OK,
        found=f"{cores} usable; {model[1] if model else 'unknown model'}"
        f"{'; a virtual machine' if virtual else ''}",
        facts=facts,
    )
    yield _clock(has)
    governor = _text(_GOVERNOR).strip()
    if governor and governor != "performance":
        yield Finding(
            area="CPU",
            name="frequency",
            state=NOTE,
            found=f"governor {governor}",
            costs="computation times vary with the clock rate",
            remedy="cpupower frequency-set --governor performance, where you may",
            facts={"governor": governor},
        )


def _clock(has: set[str]) -> Finding:
    source = _text(_CLOCK).strip()
    steady = {"constant_tsc", "nonstop_tsc"} <= has
    facts = {"clocksource": source, "constant_tsc": steady}
    if source in {"tsc", "arch_sys_counter", "kvm-clock", "timebase"}:
        return Finding(
            area="CPU",
            name="clock",
            state=OK,
            found=f"{source}, read without a system call",
            facts=facts,
        )
    return Finding(
        area="CPU",
        name="clock",
        state=NOTE,
        found=source or "unknown clock source",
        costs="each time stamp of the tracer costs a system call, some 0.2 to 1 µs",
        remedy="boot with clocksource=tsc where the processor's counter is reliable",
        facts=facts,
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
