"""Why nothing was delayed, and what to set, in one sentence."""

from collections.abc import Iterable, Iterator

from latitude.runtime.injecting.recorded import Counted
from latitude.runtime.injecting.session import FLOW, Injected

_SHARED_MEMORY = {"posix", "sysv", "xpmem", "cma", "knem"}
_BYPASS = ("rc_mlx5", "dc_mlx5", "ud_mlx5")
_UCX_IN_OPEN_MPI = (
    "OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any, or pass --intra-node"
)


def nothing_hooked(injected: Injected) -> str:
    """Which transport was found instead, and what to do."""
    return f"no message was delayed: {_reason(injected)}"


def _reason(injected: Injected) -> str:
    program, counts = injected.application, injected.counts
    off = next((counted.off for counted in counts if counted.off), "")
    if off:
        return off
    if program is not None and program.static:
        return f"{program.path} is statically linked, so no library can be preloaded into it"
    if program is not None and program.privileged:
        return (
            f"{program.path} has set-user-ID rights or capabilities, with which the loader ignores "
            "LD_PRELOAD; run a copy without them"
        )
    if not counts:
        return (
            "the program opened neither UCX nor verbs and did not call MPI_Finalize, or its ranks "
            "started without the environment they were given"
        )
    return _flow(counts) if injected.request.layer == FLOW else _verbs(counts)


def _flow(counts: list[Counted]) -> str:
    libraries = set(_each(counted.libraries for counted in counts))
    opened = sorted(set(_each(counted.other_transports for counted in counts)))
    hooked = sorted(set(_each(counted.delayed_transports for counted in counts)))
    parts = sorted(_part(name) for name in libraries if name.startswith("mca_"))
    if "pml_ob1" in parts or "pml_cm" in parts:
        return f"Open MPI used {', '.join(parts)} instead of UCX; set {_UCX_IN_OPEN_MPI}"
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
    if any(name.startswith("libfabric") for name in libraries):
        return "the MPI uses libfabric, which is not delayed yet; use an MPI on UCX"
    return "the program did not use UCX; only MPIs on UCX (MPICH ch4:ucx, Open MPI) are delayed"


def _verbs(counts: list[Counted]) -> str:
    opened = set(_each(counted.other_transports for counted in counts))
    bypass = sorted(name for name in opened if name in _BYPASS)
    if bypass:
        return f"UCX used {', '.join(bypass)}, which bypasses verbs; set UCX_TLS=rc_v,ud_v,self"
    if opened:
        names = ", ".join(sorted(opened))
        return f"UCX used {names}, not verbs; set UCX_TLS=rc_v,self on a node with an RDMA device"
    return "no queue pair was made through libibverbs"


def problems(injected: Injected) -> Iterator[str]:
    """What is odd about a run in which something was delayed."""
    for counted in injected.counts:
        if counted.off:
            yield f"rank {counted.rank}: no latency was injected: {counted.off}"
            return
    cut = [counted for counted in injected.counts if not counted.ended]
    if cut:
        yield f"{len(cut)} of {len(injected.counts)} processes ended early: killed, or crashed"


def _part(library: str) -> str:
    return library.removeprefix("mca_").partition(".")[0]


def _each(lists: Iterable[list[str]]) -> Iterator[str]:
    for words in lists:
        yield from words
