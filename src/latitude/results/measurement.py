"""Results of `latitude measure`: LogGPS parameters, latencies, load, slow nodes.

Times are ns and sizes bytes unless a name has another unit.
"""

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from latitude.files.provenance import Made
from latitude.notices.notice import Notice
from latitude.results.declared import Count, Instant, Nanoseconds, Part, Result, Share
from latitude.units.columns import COUNT, RATE, SHARE, TIME, column, number, time
from latitude.units.quantities import format_size

Positive = Annotated[float, Meta(ge=0)]
Reading = Literal["handshake", "put", "get", "llamp", "sync"]


class MeasuredValue(Part, frozen=True, kw_only=True):
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float


class RankPlace(Part, frozen=True, kw_only=True):
    """Node and core of a rank."""

    rank: Count
    node: Count
    """Number of the node, equal for ranks on one node."""
    core: Count | None
    """Number of the core; null if not known."""
    host: str


class SizeRange(Part, frozen=True, kw_only=True):
    """Message sizes whose half round trips follow one line."""

    first_bytes: Count
    last_bytes: Count
    protocol: Annotated[str, column("protocol")]
    start_ns: MeasuredValue
    """Half round trip of the line at one byte."""
    G_ns_per_byte: MeasuredValue
    """Slope of the line."""

    @property
    def span(self) -> Annotated[str, column("bytes")]:
        """First and last size: `1 … 65,536`."""
        return f"{self.first_bytes:,} … {self.last_bytes:,}"


class SizeTimes(Part, frozen=True, kw_only=True):
    """Measured times of one message size; null if not measured."""

    bytes: Count
    half_round_trip_ns: MeasuredValue
    o_send_ns: MeasuredValue | None
    o_receive_ns: MeasuredValue | None
    between_ns: MeasuredValue | None
    """Time between two messages of a stream."""
    send_held_ns: MeasuredValue | None
    """Duration of a blocking rendezvous send whose receiver already waits."""
    model_error: float
    """Relative error of the model's half round trip."""


class LatencyRange(Part, frozen=True, kw_only=True):
    """Least and greatest latency over the pairs."""

    least: float
    most: float


class LogGPSClass(Part, frozen=True, kw_only=True):
    """Parameters of one class of links: medians over its pairs of ranks; the most frequent S."""

    name: str
    pairs: Count
    """Number of pairs of ranks."""
    L_ns: MeasuredValue
    L_rest_ns: MeasuredValue
    """L, or a negative value if the overheads exceed half a round trip."""
    o_ns: MeasuredValue
    """o of the model: the mean of the two following values, or less."""
    o_send_ns: MeasuredValue
    o_receive_ns: MeasuredValue
    o_delayed_ns: MeasuredValue | None
    """o of a send of one byte by Hoefler's formula."""
    g_ns: MeasuredValue
    g_limits: bool
    """Whether more than the CPUs slows a stream of small messages."""
    G_ns_per_byte: MeasuredValue
    """G of the model: the slope, less O if O is used."""
    O_ns_per_byte: MeasuredValue
    """Mean growth of both overheads per byte, as measured."""
    slope_ns_per_byte: MeasuredValue
    """Slope of half round trips over the size."""
    S_bytes: Count
    """Eager limit of MPI_Send: its largest eager message."""
    S_isend_bytes: Count
    """Eager limit of MPI_Isend."""
    S_start_bytes: Count
    """Eager limit of MPI_Start."""
    S_reached: bool
    """Whether any send waited for its receiver; otherwise S is the largest tried message."""
    rendezvous: Reading | None
    L_of_pairs_ns: LatencyRange
    model_error: Positive
    """Root mean square of the relative deviations of the model's half round trips."""
    ranges: tuple[SizeRange, ...]
    sizes: tuple[SizeTimes, ...]


class MeasuredPair(Part, frozen=True, kw_only=True):
    """Two ranks, and their measurement."""

    ranks: tuple[Count, Count]
    inside_a_node: bool
    links: str
    """Name of the class of links."""
    S_bytes: Count | None
    half_round_trip_ns: Nanoseconds
    """Half round trip of the smallest message."""
    half_round_trip_by_start_ns: tuple[Nanoseconds, ...]
    """Half round trip of the smallest message in each start of the program."""
    seconds: Positive
    rounds: Count
    imprecise: Count
    """Number of tests that did not reach the precision."""


class AchievedLoad(Part, frozen=True, kw_only=True):
    """Load during a measurement, as shares of the one-way bandwidth."""

    asked: Positive
    achieved: Positive | None
    """Achieved share; null if the load ended before its measurement."""


class LogGPSMeasurement(Result, frozen=True, kw_only=True):
    """Result of `latitude measure loggps`."""

    SCHEMA: ClassVar[str] = "latitude.measure.loggps/1"

    provenance: Made
    mpi: str
    """MPI's name and version, as its library reports."""
    mpicc: str
    """Compiler wrapper that built the program."""
    launch: tuple[str, ...]
    started: Instant
    starts: Count
    """Starts of the program; with one start, intervals lack the differences between starts."""
    seconds: Positive
    """Duration of all starts together."""
    clock_cost_ns: Nanoseconds
    """Cost of reading the clock once."""
    size_bytes: Count
    """Size of the messages whose overhead counts."""
    most_bytes: Count
    """Size of the largest message."""
    cache: Literal["warm", "cold"]
    """Whether messages were in the caches (warm) or in memory (cold)."""
    quantile: Share
    """Quantile of the samples that gives the value of a test."""
    precision: Positive
    """Half width of an interval, as a share, at which a test ended."""
    ranks: tuple[RankPlace, ...]
    O_ns_per_byte: Positive
    """O of the model at both ends, in the first class; 0 if not used."""
    classes: tuple[LogGPSClass, ...]
    """Classes of links; links between nodes come first, if there are any."""
    pairs: tuple[MeasuredPair, ...]
    warnings: tuple[Notice, ...]
    load: AchievedLoad | None
    """Load of --with-load; null without load."""


class LoadFlow(Part, frozen=True, kw_only=True):
    """Load of one pair."""

    sender: Count
    receiver: Count
    peak_bytes_per_s: Annotated[Positive, column("peak", RATE)]
    """One-way bandwidth without gaps between messages."""
    achieved: Annotated[Positive, column("share", SHARE)]
    """Achieved share of the peak."""
    sent_bytes_per_s: Annotated[Positive, column("sent", RATE)]
    received_bytes_per_s: Positive
    messages: Annotated[Count, column("messages", COUNT)]
    seconds: Annotated[Positive, column("seconds", number(".1f"))]

    @property
    def pair(self) -> Annotated[str, column("pair")]:
        """Sender and receiver: `0 → 1`."""
        return f"{self.sender} → {self.receiver}"


class GeneratedLoad(Result, frozen=True, kw_only=True):
    """Load of all pairs. Rates are bytes per second, times s, sizes bytes."""

    asked: Positive
    """Requested share of the one-way bandwidth."""
    achieved: Positive
    """Achieved share of the sum of all peaks."""
    message_bytes: Count
    crowded: bool
    """Whether there were more ranks than cores."""
    pairs: tuple[LoadFlow, ...]


class LoadMeasurement(GeneratedLoad, frozen=True, kw_only=True):
    """Result of `latitude measure load`. Rates are bytes per second, times s, sizes bytes."""

    SCHEMA: ClassVar[str] = "latitude.measure.load/1"

    provenance: Made
    mpi: str
    """MPI's name and version, as its library reports."""


class NodeLatency(Part, frozen=True, kw_only=True):
    """Latency of a node, or a rank, compared with its neighbours."""

    name: Annotated[str, column("node or rank")]
    rank: Count
    latency_ns: Annotated[Nanoseconds, column("median", time(3))]
    """Median latency to the other nodes or ranks."""
    neighbours_ns: Annotated[Nanoseconds, column("neighbours", time(3))]
    """Median latency between the other nodes or ranks."""
    excess: Annotated[float, column("over", number("+.1%"))]
    """Share by which the latency exceeds the neighbours'."""
    p: Annotated[Share, column("p (Holm)", number(".2g"))]
    """p-value of Mann and Whitney's test, corrected after Holm."""
    higher: bool


class CoreNoise(Part, frozen=True, kw_only=True):
    """Durations of equal pieces of work on the core of one rank."""

    rank: Count
    name: str | None
    least_ns: Annotated[Nanoseconds, column("quantum at best", TIME)]
    """The quickest piece, which shows the core's speed."""
    mean_ns: Annotated[Nanoseconds, column("mean", TIME)]
    p99_ns: Annotated[Nanoseconds, column("p99", TIME)]
    max_ns: Annotated[Nanoseconds, column("max", TIME)]
    lost: Annotated[Share, column("lost", SHARE)]
    """Share of the time that other work took."""


class NodeCheck(Result, frozen=True, kw_only=True):
    """Result of `latitude measure nodes`."""

    SCHEMA: ClassVar[str] = "latitude.measure.nodes/1"

    provenance: Made
    mpi: str
    """MPI's name and version, as its library reports."""
    by: Literal["node", "rank"]
    passes: Count
    """Number of passes, in each of which every pair met."""
    crowded: bool
    """Whether there were more ranks than cores."""
    higher: tuple[str, ...]
    """Nodes or ranks whose latency exceeds their neighbours'."""
    members: tuple[NodeLatency, ...]
    """All nodes or ranks, those in `higher` first."""
    noise: tuple[CoreNoise, ...]


class SamplePlace(Part, frozen=True, kw_only=True):
    """Node and core of a rank."""

    rank: Count
    host: str
    core: Count | None
    """Number of the core; null if not known."""


class UtilizationAround(Part, frozen=True, kw_only=True):
    """b before and after a measurement; null if Slurm does not answer."""

    before: Share | None
    after: Share | None
    kept: Share | None
    """Mean of `before` and `after`, if they agree."""


class SizeSummary(Part, frozen=True, kw_only=True):
    """The iterations of one operation and size."""

    collective: str
    bytes: Count
    iterations: Annotated[Count, column("n", COUNT)]
    min_ns: Annotated[Nanoseconds, column("min", time(3))]
    median_ns: Annotated[Nanoseconds, column("median", time(3))]
    mean_ns: Annotated[Nanoseconds, column("mean", time(3))]
    sd_ns: Annotated[Nanoseconds, column("sd", time(3))]
    p99_ns: Annotated[Nanoseconds, column("p99", time(3))]
    p999_ns: Annotated[Nanoseconds, column("p99.9", time(3))] = msgspec.field(name="p99.9_ns")
    max_ns: Annotated[Nanoseconds, column("max", time(3))]
    late_share: Share
    """Share of iterations that a rank began late by more than a median latency."""
    clock_error_ns: Nanoseconds
    """Time within which the ranks' clocks agree."""

    @property
    def name(self) -> Annotated[str, column("operation")]:
        """Operation and size: `allreduce, 8 B`."""
        return f"{self.collective}{f', {format_size(self.bytes)}' if self.bytes else ''}"


class SampleMeasurement(Result, frozen=True, kw_only=True):
    """Result of `latitude measure pingpong`, `barrier` and `collective`, for one operation."""

    SCHEMA: ClassVar[str] = "latitude.measure.samples/1"

    provenance: Made
    mpi: str
    """MPI's name and version, as its library reports."""
    crowded: bool
    """Whether there were more ranks than cores."""
    interrupted: bool
    places: tuple[SamplePlace, ...]
    b: UtilizationAround
    """Background traffic."""
    load: GeneratedLoad | None
    """Load of --with-load; null without load."""
    summary: tuple[SizeSummary, ...]
