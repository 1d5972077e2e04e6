"""The cores and the memory that this process may use, within the limits of its job or container."""

import math
import re
import resource
from collections.abc import Iterator
from os import sched_getaffinity
from pathlib import Path
from typing import NamedTuple

_ROOT = Path("/")
_GROUPS = "sys/fs/cgroup"
_QUOTA = "cpu.max"


class _Names(NamedTuple):
    """Names in one version of control groups."""

    controller: str
    """The controller of memory in /proc/self/cgroup."""
    limit: str
    usage: str
    cache: str
    """In memory.stat: the file cache that the kernel frees on demand."""


_VERSIONS = (
    _Names("", "memory.max", "memory.current", "inactive_file"),
    _Names("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)


def usable_cores(root: Path = _ROOT) -> int:
    """Cores that this process may keep busy, at least 1: its processors, or its CPU quota."""
    cores = len(sched_getaffinity(0))
    for group in _own_groups(root, ""):
        quota, _, period = _text(group / _QUOTA).partition(" ")
        if quota.isdigit() and period.isdigit() and int(period) > 0:
            cores = min(cores, max(1, math.ceil(int(quota) / int(period))))
    return cores


def free_memory(root: Path = _ROOT) -> int | None:
    """Memory that this process may still use, bytes; None if the system reports no such number.

    That is the least of the machine's free memory, the free memory of each of its control groups,
    and the rest of its address space.
    """
    sizes = [*_of_machine(root), *_of_groups(root), *_of_address_space(root)]
    return max(0, min(sizes)) if sizes else None


def _of_machine(root: Path) -> Iterator[int]:
    for line in _text(root / "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024


def _of_groups(root: Path) -> Iterator[int]:
    for names in _VERSIONS:
        for group in _own_groups(root, names.controller):
            limit, usage = _text(group / names.limit), _text(group / names.usage)
            if limit.isdigit() and usage.isdigit():
                yield int(limit) - int(usage) + _named(group / "memory.stat", names.cache)


def _of_address_space(root: Path) -> Iterator[int]:
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _text(root / "proc/self/statm").partition(" ")[0]
    if limit != resource.RLIM_INFINITY and pages.isdigit():
        yield limit - int(pages) * resource.getpagesize()


def _own_groups(root: Path, controller: str) -> Iterator[Path]:
    """Folders of the control groups that contain this process, the innermost first.

    In a container the group's path may be that of the host, so only parts of it may exist.
    """
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controller in controllers.split(","):
            top = root / _GROUPS / (controller or _unified(root))
            own = top / path.lstrip("/")
            yield from (each for each in (own, *own.parents) if each.is_relative_to(top))


def _unified(root: Path) -> str:
    """The folder of version 2 on a system with both versions, otherwise empty."""
    return "unified" if (root / _GROUPS / "unified").is_dir() else ""


def _named(path: Path, name: str) -> int:
    """The number after `name` in a file of names and numbers; 0 if the file lacks the name."""
    found = re.search(rf"^{name} (\d+)$", _text(path), re.MULTILINE)
    return int(found[1]) if found else 0


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
