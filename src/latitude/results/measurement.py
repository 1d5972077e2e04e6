"""Results of `latitude measure`: LogGPS parameters, latencies, load, nodes that stand out.

Times are ns and sizes bytes where no other unit is named.
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
    """Where a rank ran."""

    rank: Count
    node: Count
    """The same for ranks of one node."""
    core: Count | None
    """null: not known."""
    host: str


class SizeRange(Part, frozen=True, kw_only=True):
    """Message sizes whose half round trips follow one line."""

    first_bytes: Count
    last_bytes: Count
    protocol: Annotated[str, column("protocol")]
    start_ns: MeasuredValue
    """Half round trip of the line at one byte."""
    G_ns_per_byte: MeasuredValue
    """Its slope."""

    @property
    def span(self) -> Annotated[str, column("bytes")]:
        """`1 … 65,536`."""
        return f"{self.first_bytes:,} … {self.last_bytes:,}"


class SizeTimes(Part, frozen=True, kw_only=True):
    """Measured times of one message size; null if not measured."""

    bytes: Count
    half_round_trip_ns: MeasuredValue
    o_send_ns: MeasuredValue | None
    o_receive_ns: MeasuredValue | None
    between_ns: MeasuredValue | None
    """From one message of a stream to the next."""
    send_held_ns: MeasuredValue | None
    """A blocking send of a rendezvous whose receiver waits already."""
    model_error: float
    """Relative error of the model's half round trip."""


class LatencyRange(Part, frozen=True, kw_only=True):
    """Least and most over the pairs."""

    least: float
    most: float


class LogGPSClass(Part, frozen=True, kw_only=True):
    """Pairs of ranks of one kind; the median pair's parameters."""

    name: str
    pairs: Count
    """Pairs of ranks."""
    L_ns: MeasuredValue
    L_rest_ns: MeasuredValue
    """L, or its negative remainder where the overheads exceed half a round trip."""
    o_ns: MeasuredValue
    """o of the model: the mean of the two following values, or less."""
    o_send_ns: MeasuredValue
    o_receive_ns: MeasuredValue
    o_delayed_ns: MeasuredValue | None
    """o of a send of one byte by Hoefler's formula."""
    g_ns: MeasuredValue
    g_limits: bool
    """Whether a stream of small messages is held up by more than the processors."""
    G_ns_per_byte: MeasuredValue
    """G of the model: the slope, less O if O is used."""
    O_ns_per_byte: MeasuredValue
    """As measured: what both overheads grow by with a byte, their mean."""
    slope_ns_per_byte: MeasuredValue
    """Slope of half round trips over the size."""
    S_bytes: Count
    """Largest message sent eagerly by MPI_Send."""
    S_isend_bytes: Count
    """The same by MPI_Isend."""
    S_start_bytes: Count
    """And by MPI_Start."""
    S_reached: bool
    """Whether any send waited for its receiver; else S is the largest message tried."""
    rendezvous: Reading | None
    L_of_pairs_ns: LatencyRange
    model_error: Positive
    """Root of the mean squared deviation of the model's half round trips, as a share."""
    ranges: tuple[SizeRange, ...]
    sizes: tuple[SizeTimes, ...]


class MeasuredPair(Part, frozen=True, kw_only=True):
    """Two ranks and how they were measured."""

    ranks: tuple[Count, Count]
    inside_a_node: bool
    links: str
    """Name of the class of links."""
    S_bytes: Count | None
    half_round_trip_ns: Nanoseconds
    """Half round trip of the smallest message."""
    half_round_trip_by_start_ns: tuple[Nanoseconds, ...]
    """The same in each start of the program."""
    seconds: Positive
    rounds: Count
    imprecise: Count
    """Tests that did not reach the precision."""


class AchievedLoad(Part, frozen=True, kw_only=True):
    """Load that ran beside a measurement, as shares of the one-way bandwidth."""

    asked: Positive
    achieved: Positive | None
    """null where it ended before it could tell."""


class LogGPSMeasurement(Result, frozen=True, kw_only=True):
    """Result of `latitude measure loggps`."""

    SCHEMA: ClassVar[str] = "latitude.measure.loggps/1"

    provenance: Made
    mpi: str
    """As the library calls itself."""
    mpicc: str
    """Compiler wrapper that built the program."""
    launch: tuple[str, ...]
    started: Instant
    starts: Count
    """Starts of the program; with one start, intervals lack the differences between starts."""
    seconds: Positive
    """All starts together."""
    clock_cost_ns: Nanoseconds
    """Cost of reading the clock once."""
    size_bytes: Count
    """Size of the messages whose overhead counts."""
    most_bytes: Count
    """Largest message."""
    cache: Literal["warm", "cold"]
    """Whether messages lay in the caches, or in memory."""
    quantile: Share
    """The sample that counts."""
    precision: Positive
    """Half the width of an interval at which a test was done, as a share."""
    ranks: tuple[RankPlace, ...]
    O_ns_per_byte: Positive
    """O of the model at both ends, in the first class; 0 if not used."""
    classes: tuple[LogGPSClass, ...]
    """Links between nodes first, as far as there are any."""
    pairs: tuple[MeasuredPair, ...]
    warnings: tuple[Notice, ...]
    load: AchievedLoad | None
    """Load of --with-load; null without load."""


class LoadFlow(Part, frozen=True, kw_only=True):
    """Load of one pair."""

    sender: Count
    receiver: Count
    peak_bytes_per_s: Annotated[Positive, column("peak", RATE)]
    """One way, with nothing in between."""
    achieved: Annotated[Positive, column("share", SHARE)]
    """Share of the peak."""
    sent_bytes_per_s: Annotated[Positive, column("sent", RATE)]
    received_bytes_per_s: Positive
    messages: Annotated[Count, column("messages", COUNT)]
    seconds: Annotated[Positive, column("seconds", number(".1f"))]

    @property
    def pair(self) -> Annotated[str, column("pair")]:
        """`0 → 1`."""
        return f"{self.sender} → {self.receiver}"


class GeneratedLoad(Result, frozen=True, kw_only=True):
    """Load of all pairs. Rates are bytes per second, times s, sizes bytes."""

    asked: Positive
    """Share of the one-way bandwidth."""
    achieved: Positive
    """Share of the sum of all peaks."""
    message_bytes: Count
    crowded: bool
    """There were more ranks than cores."""
    pairs: tuple[LoadFlow, ...]


class LoadMeasurement(GeneratedLoad, frozen=True, kw_only=True):
    """Result of `latitude measure load`. Rates are bytes per second, times s, sizes bytes."""

    SCHEMA: ClassVar[str] = "latitude.measure.load/1"

    provenance: Made
    mpi: str
    """As the library calls itself."""


class NodeLatency(Part, frozen=True, kw_only=True):
    """A node, or a rank, against its neighbours."""

    name: Annotated[str, column("node or rank")]
    rank: Count
    latency_ns: Annotated[Nanoseconds, column("median", time(3))]
    """Median to the others."""
    neighbours_ns: Annotated[Nanoseconds, column("neighbours", time(3))]
    """Median between the others."""
    excess: Annotated[float, column("over", number("+.1%"))]
    """By what share it is higher."""
    p: Annotated[Share, column("p (Holm)", number(".2g"))]
    """Mann and Whitney's, after Holm."""
    higher: bool


class CoreNoise(Part, frozen=True, kw_only=True):
    """How equal pieces of work went on the core of one rank."""

    rank: Count
    name: str | None
    least_ns: Annotated[Nanoseconds, column("quantum at best", TIME)]
    """The quickest piece: the core's speed."""
    mean_ns: Annotated[Nanoseconds, column("mean", TIME)]
    p99_ns: Annotated[Nanoseconds, column("p99", TIME)]
    max_ns: Annotated[Nanoseconds, column("max", TIME)]
    lost: Annotated[Share, column("lost", SHARE)]
    """Share of the time that went elsewhere."""


class NodeCheck(Result, frozen=True, kw_only=True):
    """Result of `latitude measure nodes`."""

    SCHEMA: ClassVar[str] = "latitude.measure.nodes/1"

    provenance: Made
    mpi: str
    """As the library calls itself."""
    by: Literal["node", "rank"]
    passes: Count
    """In which every pair met."""
    crowded: bool
    """There were more ranks than cores."""
    higher: tuple[str, ...]
    """Those whose latency is higher than their neighbours'."""
    members: tuple[NodeLatency, ...]
    """The higher ones first."""
    noise: tuple[CoreNoise, ...]


class SamplePlace(Part, frozen=True, kw_only=True):
    """Where a rank ran."""

    rank: Count
    host: str
    core: Count | None
    """null: not known."""


class UtilizationAround(Part, frozen=True, kw_only=True):
    """b before and after a measurement; null where Slurm does not answer."""

    before: Share | None
    after: Share | None
    kept: Share | None
    """The mean of both, where they agree."""


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
    """Iterations that a rank began over a median latency late."""
    clock_error_ns: Nanoseconds
    """Within which the ranks' clocks agree."""

    @property
    def name(self) -> Annotated[str, column("operation")]:
        """`allreduce, 8 B`."""
        return f"{self.collective}{f', {format_size(self.bytes)}' if self.bytes else ''}"


class SampleMeasurement(Result, frozen=True, kw_only=True):
    """Result of `latitude measure pingpong`, `barrier` and `collective`, of one operation."""

    SCHEMA: ClassVar[str] = "latitude.measure.samples/1"

    provenance: Made
    mpi: str
    """As the library calls itself."""
    crowded: bool
    """There were more ranks than cores."""
    interrupted: bool
    places: tuple[SamplePlace, ...]
    b: UtilizationAround
    """Background traffic."""
    load: GeneratedLoad | None
    """Load of --with-load; null without load."""
    summary: tuple[SizeSummary, ...]
