"""NCCL's collectives as execution graphs."""

from dataclasses import dataclass

from latitude import _core
from latitude._core import InputError
from latitude.units.quantities import counted, format_size

ALGORITHMS: dict[str, list[str]] = _core.nccl_algorithms()
"""Algorithms of each collective, the default first."""
PROTOCOLS: list[str] = _core.nccl_protocols()
LEAST_RANKS, MOST_RANKS = 2, 4096
MOST_CHANNELS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class NcclCollective:
    """One collective of all GPUs. Raises InputError if NCCL has no such collective."""

    collective: str = "allreduce"
    algorithm: str | None = None
    """Algorithm; None means the first of ALGORITHMS."""
    protocol: str = "simple"
    ranks: int
    """Number of GPUs, LEAST_RANKS to MOST_RANKS."""
    ranks_per_node: int = 1
    """GPUs per node, with consecutive ranks."""
    channels: int = 1
    message_bytes: int = 1 << 20
    """Bytes of the larger of a rank's two buffers, as in nccl-tests."""
    root: int = 0
    """Root of a broadcast or a reduction."""
    nics: int = 1
    """Number of NICs per GPU, which the channels use in turn."""
    reduce_ns_per_byte: float = 0.0
    launch_ns: int = 0
    """Time of a kernel before it moves data, ns."""

    def __post_init__(self) -> None:
        if self.root >= self.ranks:
            raise InputError(
                f"root {self.root} is not one of {counted(self.ranks, 'rank')}; the last is "
                f"{self.ranks - 1}"
            )
        if self.collective == "send" and self.ranks > LEAST_RANKS:
            raise InputError(
                f"send has a sender and a receiver, not {self.ranks} ranks; write --ranks 2"
            )

    @property
    def named(self) -> str:
        """Name of the algorithm."""
        return self.algorithm or ALGORITHMS[self.collective][0]

    def graph(self) -> _core.Graph:
        """The execution graph."""
        job = _core.Job(self.ranks, 1, self.nics, self.reduce_ns_per_byte)
        job.collective(
            members=list(range(self.ranks)),
            stream=0,
            operation=self.collective,
            algorithm=self.named,
            protocol=self.protocol,
            channels=self.channels,
            size=self.message_bytes,
            root=self.root,
            ranks_per_node=self.ranks_per_node,
            launch_ns=self.launch_ns,
        )
        return job.finish()

    def assumptions(self, graph: _core.Graph) -> list[str]:
        """The job's content, and hints for its analysis, in sentences."""
        what = (
            f"One {self.collective} of {format_size(self.message_bytes)} by NCCL's "
            f"{self.named} over {counted(self.ranks, 'GPU')}, {self.ranks_per_node} on each node: "
            f"{counted(self.channels, 'channel')}, protocol {self.protocol}, buffers of 8 slots."
        )
        return [what, eager_hint(graph)]


def eager_hint(graph: _core.Graph) -> str:
    """A sentence on the analysis of graphs with NCCL's messages."""
    largest = int(graph.value[graph.kind == _core.Kind.send].max(initial=0))
    return (
        "NCCL's window of slots takes the place of the rendezvous protocol: analyse the file with "
        f"--S {largest}B or more, so that every message is eager; with --gap send if the messages "
        "of a NIC share its bandwidth; and with --cpu-order file if o is not 0."
    )
