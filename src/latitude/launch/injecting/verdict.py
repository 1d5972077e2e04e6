"""The reason why no message was delayed, and the remedy, in one sentence."""

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from latitude.launch import launcher as launchers
from latitude.launch.injecting.recorded import FILE_BYTES, Counted, late_mean_ns
from latitude.launch.injecting.session import Injected
from latitude.launch.unseen import how, removed, unstarted
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.injection import FLOW, OFF, VERBS
from latitude.units.quantities import format_time

_SHARED_MEMORY = {"posix", "sysv", "xpmem", "cma", "knem"}
_BYPASS = "_mlx5"
"""Suffix of UCX's transports that write to the device directly."""
_VERBS = ("rc_verbs", "ud_verbs", "self")
"""UCX's transports that post by verbs, or send to the process itself."""
_UCX_IN_OPEN_MPI = (
    "OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any, or pass --intra-node"
)
_INTEL_FABRICS = "I_MPI_FABRICS"
_OFI = "ofi:"
"""Prefix of the names of libfabric's providers."""


def nothing_hooked(injected: Injected) -> str:
    """The reason why nothing was delayed or timed, e.g. another transport, and the remedy."""
    if not injected.counts and (gone := removed(injected.request.directory)):
        return f"nothing is known of what was delayed: {gone}"
    if injected.request.layer == OFF:
        return f"no run time was measured: {_unseen(injected) or 'MPI_Finalize was not called'}"
    if injected.in_vain:
        return f"no message can be delayed, so the program was ended: {_reason(injected)}"
    what = "message" if injected.request.layer == FLOW else "post"
    return f"no {what} was delayed: {_reason(injected)}"


def _reason(injected: Injected) -> str:
    counts = injected.counts
    off = next((counted.off for counted in counts if counted.off), "")
    if off:
        return off
    if unseen := _unseen(injected):
        return unseen
    return _flow(injected) if injected.request.layer == FLOW else _verbs(counts)


def _unseen(injected: Injected) -> str:
    """The reason why the library left no file; empty if it left one."""
    program = injected.application
    if injected.counts:
        return ""
    if _full(injected.request.directory):
        return f"the file system of {injected.request.directory} is full, so nothing was counted"
    request = injected.request
    launcher = launchers.find(request.command)
    why = unstarted(request.command, launcher, program, injected.ended.status, os.environ)
    ended = how(injected.ended.status)
    return why or (
        f"the program opened neither UCX nor verbs and ended{ended} without MPI_Init, or its ranks "
        "started without the environment they were given; put `latitude inject` right of the "
        "launcher"
    )


def _full(directory: Path) -> bool:
    """Whether the file system has no room for a rank's counts, which have a fixed size."""
    try:
        return shutil.disk_usage(directory).free < FILE_BYTES
    except OSError:
        return False


def _flow(injected: Injected) -> str:
    counts = injected.counts
    libraries = set(_each(counted.libraries for counted in counts))
    opened = sorted(set(_each(counted.other_transports for counted in counts)))
    hooked = sorted(set(_each(counted.delayed_transports for counted in counts)))
    parts = sorted(_part(name) for name in libraries if name.startswith("mca_"))
    providers = [name.removeprefix(_OFI) for name in opened + hooked if name.startswith(_OFI)]
    if providers and ("pml_cm" in parts or not parts):
        return _libfabric(providers, hooked)
    if "pml_ob1" in parts or "pml_cm" in parts:
        return f"Open MPI used {', '.join(parts)} instead of UCX; set {_UCX_IN_OPEN_MPI}"
    if hooked and injected.request.intra_node:
        return f"UCX opened {', '.join(hooked)}, but the program sent no message by it"
    if hooked:
        return (
            f"UCX opened {', '.join(hooked)}, but no message took it; ranks of one node talk "
            "through shared memory: pass --intra-node to delay that, too"
        )
    if any(transport in _SHARED_MEMORY for transport in opened):
        return (
            f"UCX used {', '.join(opened)}, within a node; pass --intra-node, or set "
            "UCX_TLS=tcp,self to make ranks of one node talk by tcp"
        )
    return _unhooked(libraries)


def _unhooked(libraries: set[str]) -> str:
    """A sentence for runs that opened no transport known to the injector."""
    if os.environ.get(_INTEL_FABRICS) == "shm":
        return f"{_INTEL_FABRICS}=shm keeps Intel MPI from the network; set {_INTEL_FABRICS}=ofi"
    if any(name.startswith("libfabric") for name in libraries):
        return (
            "the MPI has loaded libfabric and opened nothing in it; ranks of one node talk through "
            "the MPI's own shared memory: pass --intra-node"
        )
    return (
        "the program used neither UCX nor libfabric; only MPIs on them (MPICH ch4:ucx and ch4:ofi, "
        "Open MPI pml/ucx and mtl/ofi, Intel MPI) are delayed"
    )


def _libfabric(providers: list[str], hooked: list[str]) -> str:
    names = ", ".join(providers)
    if not hooked:
        return (
            f"libfabric used {names}, within a node; pass --intra-node, or set e.g. "
            "FI_PROVIDER=tcp to make ranks of one node talk by tcp"
        )
    return (
        f"libfabric opened {names}, but no message took it; ranks of one node talk through the "
        "MPI's own shared memory: pass --intra-node (MPICH: MPIR_CVAR_NOLOCAL=1, Intel MPI: "
        "I_MPI_FABRICS=ofi)"
    )


def _verbs(counts: list[Counted]) -> str:
    opened = set(_each(counted.other_transports for counted in counts))
    if bypass := _bypass(counts):
        return f"{bypass}; set UCX_TLS=rc_v,ud_v,self"
    others = sorted(opened.difference(_VERBS))
    if others and opened.isdisjoint(_VERBS[:2]):
        names = ", ".join(others)
        return f"UCX used {names}, not verbs; set UCX_TLS=rc_v,self on a node with an RDMA device"
    if any(counted.hooked for counted in counts):
        return "a device was opened by verbs, but nothing was posted"
    return "no device was opened by verbs"


def _bypass(counts: list[Counted]) -> str:
    opened = set(_each(counted.other_transports for counted in counts))
    names = sorted(name for name in opened if name.endswith(_BYPASS))
    if not names:
        return ""
    return f"UCX used {', '.join(names)}, which {'bypass' if names[1:] else 'bypasses'} verbs"


def notices(injected: Injected) -> Iterator[Notice]:
    """Warnings about a run with delayed messages."""
    if not injected.hooked:
        return
    counts = injected.counts
    for counted in counts:
        if counted.off:
            yield kinds.INJECTION_OFF(
                f"rank {counted.rank}: no latency was injected: {counted.off}"
            )
            return
    if injected.request.layer == VERBS and (bypass := _bypass(counts)):
        yield kinds.VERBS_BYPASSED(f"{bypass}: its messages are not delayed")
    yield from _late(injected)
    if injected.ended.timed_out:
        yield kinds.TIMED_OUT(f"Latitude ended the command after {injected.request.limit_s:g} s")
    ranks = max(counted.ranks for counted in counts)
    absent = ranks - len({each.rank for each in counts if each.rank is not None})
    if ranks > 1 and absent > 0:
        yield kinds.RANKS_ABSENT(
            f"{absent:,} of {ranks:,} ranks left no counts: on their nodes the directory cannot "
            "be written, or the environment did not arrive"
        )
    cut = [counted for counted in counts if not counted.ended]
    if cut:
        yield kinds.ENDED_EARLY(
            f"{len(cut)} of {len(counts)} processes ended early: killed, or crashed"
        )
    left = [counted for counted in counts if counted.ended and counted.ranks]
    without = sum(counted.runtime_ns is None for counted in left)
    if without:
        yield kinds.NOT_FINALISED(
            f"{without} of {len(counts)} processes exited without MPI_Finalize: not timed"
        )


_LATE_SHARE = 0.1
_LATE_NS = 50_000.0
"""Latitude warns if the mean lateness exceeds this time (ns; the default slack of a sleep) and the
share _LATE_SHARE of the requested mean.
"""


def _late(injected: Injected) -> Iterator[Notice]:
    """Warns if messages came later than requested."""
    asked, _ = injected.totals
    late = late_mean_ns(injected.counts)
    if late is None or late <= max(_LATE_NS, _LATE_SHARE * asked.mean_ns):
        return
    if injected.request.layer == VERBS:
        what, why = "posts waited", "their ranks were not running when the wait was over"
    else:
        what, why = "messages took", "receivers that waited for them were not running when due"
    yield kinds.LATER_THAN_ASKED(
        f"{what} {format_time(late, 3)} longer on average than the asked "
        f"{format_time(asked.mean_ns, 3)}: {why}"
    )


def _part(library: str) -> str:
    return library.removeprefix("mca_").partition(".")[0]


def _each(lists: Iterable[list[str]]) -> Iterator[str]:
    for words in lists:
        yield from words
