"""Options for a measurement, and its results."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from latitude.launch.choose import Choice
from latitude.measure.loggps.measured import MeasuredLinks
from latitude.measure.loggps.pair import Pair
from latitude.measure.loggps.pairs import RulePairs
from latitude.measure.loggps.replicates import Replicates
from latitude.measure.session import Ran
from latitude.model.cluster_file import Description, read_cluster
from latitude.model.network import Network
from latitude.model.rules import BETWEEN
from latitude.notices.notice import Notice

REPLICATES_SEED = 1


@dataclass(frozen=True, slots=True)
class Wishes:
    """Options for a measurement."""

    size: int = 1
    """Bytes of the application's average message; overheads are those of this size."""
    most: int = 1 << 20
    """Bytes of the largest message."""
    pairs: int = 4
    """Largest number of pairs of ranks, half of them inside nodes if both kinds exist; 0 means all.
    """
    quantile: float = 0.5
    """Quantile of the samples that gives the value of a test."""
    precision: float = 0.02
    """Half width of a test's 95 % interval, as a share, at which the test ends."""
    time_ns: float = 30e9
    """Longest time for all pairs and starts together, ns."""
    starts: int = 5
    """Number of starts of the program; starts differ by more than the spread within one start."""
    cold: bool = False
    """Whether messages are in memory, not in the caches."""
    pin: bool = True
    """Whether to bind each rank to its own core if the node has enough cores."""
    seed: int = REPLICATES_SEED
    """Seed for the choice of pairs."""
    described: Description | None = None
    """A cluster file whose link rules are measured. None: measure between and inside nodes."""
    mpi: Choice | Path | None = None
    """The MPI of the program, as in a `BenchRequest`."""
    force: bool = False
    """Whether to replace existing results."""

    @property
    def start_ns(self) -> float:
        """Longest time per start, ns."""
        return self.time_ns / self.starts


@dataclass(frozen=True, slots=True)
class Measured:
    """The measured parameters."""

    wishes: Wishes
    started: datetime
    ran: Ran
    pairs: list[Pair]
    rules: RulePairs | None
    """The choice of pairs by link rules; None: by nodes."""
    classes: list[MeasuredLinks]
    """Classes of links; the class between nodes first, if there is one."""
    warnings: list[Notice]
    cluster: Path
    """The file for `analyze --network`."""

    @property
    def main(self) -> MeasuredLinks | None:
        """The links that give the network its parameters. None: the file's parameters stay."""
        first = self.classes[0]
        return first if self.wishes.described is None or first.name == BETWEEN else None

    def O_of(self, each: MeasuredLinks | None) -> Replicates | None:  # noqa: N802 - the model's name
        """CPU time per byte in the file, ns; None if the file has no O.

        With overheads for a given size there is no O, because they include the cost of the bytes
        (Shen et al., SC'24, §III.B).
        """
        counts = each is not None and each.bytes_count and self.wishes.size == 1
        return each.replicates["O"] if counts and each is not None else None

    @property
    def description(self) -> Description:
        """The content of the file."""
        return read_cluster(self.cluster)

    @property
    def network(self) -> Network:
        """The network for `latitude.analyze`."""
        return self.description.network()
