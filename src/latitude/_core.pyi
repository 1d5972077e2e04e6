"""The compiled core. Times are nanoseconds, sizes bytes, unless a name says otherwise."""

import enum
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

class InputError(ValueError):
    """Input or options are wrong; one line that names the place and the fix."""

class Warning:
    code: str
    message: str

class _Sites:
    """Call sites of a trace or a graph, and the files they are in."""

    site_module: NDArray[np.uint32]  # (sites,) index into modules, or NO_MODULE
    site_offset: NDArray[np.uint64]  # (sites,) return address in the file's own numbering
    site_caller: NDArray[np.uint32]  # (sites,) site that called its function, below it, or NO_SITE
    site_frames: list[list[tuple[str, str, int]]]
    """(sites,) or, where the format records addresses, none: function, file and line of each place
    that the site is, innermost first; "" and 0 where they are not known."""
    module_path: list[str]  # (modules,) executable or shared library
    module_build_id: list[str]  # (modules,) hexadecimal, "" when it has none

class Trace(_Sites):
    """Events of every rank, peers and communicators resolved."""

    def set_frames(self, frames: Sequence[Sequence[tuple[str, str, int]]]) -> None:
        """What was found out of the sites: site_frames."""

    format: str
    ranks: int
    events: int
    wall_ns: float
    """How long the run took: from the last rank's return from MPI_Init to the first one's entry into
    MPI_Finalize, where one clock gave the times of all; else the longest of their own."""
    wall_times: dict[str, float] | None
    """How a rank's time went between the two, by the wall clock, ns, means of the ranks: computing,
    without_core, tracer, calls. None where the format does not tell."""
    call_counts: dict[str, int]
    runtime_ns: float
    """From the first rank's return from MPI_Init to the last one's entry into MPI_Finalize, where
    one clock gave the times of all; else the longest of their own; or as long as the trace, where
    all of it was asked for."""
    starts_ns: list[int]
    """By rank, when it returned from MPI_Init, after the first one; empty without a common clock."""
    useful_ns: Floats
    """By rank, where the format says when the rank computed; else empty."""
    warnings: list[Warning]
    no_common_clock: str
    """Why times of different ranks cannot be compared; empty when one clock gave all of them."""

    def overheads(
        self,
        first_ns: float,
        per_byte_ns: float,
        eager: int,
        eager_nonblocking: int,
        told: bool = False,
        threads: int = 0,
    ) -> Overheads:
        """What its point-to-point calls cost the CPU, one by one (core/trace/overheads.hpp).

        A message of one byte travels for `first_ns` at most, each more byte makes that longer by
        `per_byte_ns`; those of more than `eager` bytes wait for their receiver, if
        non-blocking those of more than `eager_nonblocking`: fewer where sends seem to have waited,
        unless both are `told`."""

    def collective_times(self) -> list[CollectiveTimes]:
        """How long collectives took that no member leaves before the last one has come."""

    def order_of_messages(self, threads: int = 0) -> MessageOrder:
        """Whether its messages arrive after they have left; of `read_as_recorded`, with a common
        clock."""

class Intake(enum.Enum):
    """How a trace format takes the bytes of its files (core/trace/format.hpp)."""

    streams = 0
    whole = 1
    disk = 2

class FormatOption:
    """What a trace format lets its user choose: a command line option, an argument of load."""

    name: str
    choices: list[str]
    """None: a switch."""
    standard: str
    help: str

class Loader:
    """Takes the files of one trace from wherever they come."""

    def feed(self, part: int, data: bytes) -> None:
        """The next bytes of a part, or, of a format with Intake.whole, all of them."""

    def finish(self, threads: int = 1) -> Trace: ...

class Format:
    """A trace format (core/trace/format.hpp)."""

    name: str
    files: str
    example: str
    limits: str
    intake: Intake
    one_file: bool
    options: list[FormatOption]
    needs_library: bool
    """Whether it is read through a library that may be missing."""
    writes: bool
    """Whether traces can be written in it."""
    written: list[str]
    """Patterns of all that it writes, relative to the folder."""
    folder_suffix: str
    """How the name of a folder ends that it is written into."""
    keeps_places: bool
    """Whether call sites are written, by their places in the source."""

    def begins(self, head: bytes) -> bool: ...
    def problem(self) -> str:
        """Why it cannot be read here, in one line with what to install; empty where it can."""

    def beside(self, file: str) -> list[str]:
        """Names of files that are read with the one file `file` where they stand beside it."""

    def read(
        self, paths: Sequence[str], chosen: Mapping[str, str] = {}, threads: int = 0
    ) -> Trace:
        """The trace in these files, in the order of `find_trace`; threads=0 means one per core."""

    def loader(self, names: Sequence[str], chosen: Mapping[str, str] = {}) -> Loader:
        """The same for files that come from elsewhere; `names` is what messages call them."""

    def write(self, trace: Trace, folder: str, threads: int = 0) -> list[Warning]:
        """Writes a trace into a folder that exists; what the format does not hold."""

def use_otf2_package(path: str) -> None: ...
def trace_formats() -> list[Format]: ...
def trace_format(name: str) -> Format: ...
AS_RECORDED: str
"""In `chosen` where times are wanted with the tracer's own work between calls."""
LEAVE_OPEN: str
"""In `chosen` where what a trace does not say is left open for `arrivals`."""

def check_chosen(chosen: Mapping[str, str]) -> None:
    """InputError where an option of any format has no such choice."""

def find_trace(
    place: str, files: Sequence[str], head: Callable[[str], bytes]
) -> tuple[Format, list[str]] | None:
    """What is in a folder or archive: the format, and the files in the order to read them. `head`
    gives a file's first bytes, decompressed."""

def read_as_recorded(paths: Sequence[str], threads: int = 0) -> Trace:
    """The files of `latitude trace`, of all ranks in their order, with calls when they really were:
    by the wall clock, the tracer's own time between them."""

def read_sites(paths: Sequence[str]) -> Trace:
    """The call sites of these files, and what they are in, without the events; files that break off
    say what they have."""

class MessageOrder:
    """Whether messages arrive after they have left, by the clock that all ranks have."""

    messages: int
    """That were looked at: point-to-point, between different ranks, whose receive completed."""
    reversed: int
    """That arrive before they left, by more than both ranks' clocks may be off."""
    worst_ns: int
    """By how much the one that is off by most does; with `source` and `destination` 0 if none."""
    source: int
    destination: int

class CollectiveTimes:
    """Calls of one collective, of as many members and similar size."""

    call: str
    members: int
    log2: int
    """As of CallCosts."""
    first: list[int]
    """Of the first of them, by rank: the event that is its call, for `build_alone`."""
    @property
    def ns(self) -> Floats:
        """Of each: from when the last member came until the last one left."""

class CallCosts:
    """Calls of one kind, for messages of similar size, whose time is what they cost the CPU."""

    service: str
    """What they do for messages: send, exchange, receive, post, complete or complete-send."""
    call: str
    log2: int
    """Messages have up to 2 to the power of this many bytes, and more than half of that."""
    ends: int
    """Of messages, that all such calls serve, waiting or not."""
    calls: int
    """That waited for nothing; the arrays have one entry for each, or for a choice of very many."""
    ns: Floats
    """What a call took, per end."""
    bytes: Floats
    """Mean size of its messages."""
    share: NDArray[np.uint32]
    """Ends that it served."""
    block: NDArray[np.uint32]
    """Which part of which rank's run it is in."""

class Overheads:
    """Costs of calls, and ends of messages that tell of none, by why."""

    costs: list[CallCosts]
    waited: int
    rendezvous: int
    to_itself: int
    unknown: int
    eager_blocking: int
    """Up to how many bytes blocking sends were taken as eager, and others."""
    eager_nonblocking: int
    largest: int
    """Bytes of the largest message, of whatever protocol."""
    one_clock: bool

class NotInPiecesError(InputError):
    """The input is sound, and has to be read as a whole."""

class StreamFound:
    """What one pass over a trace finds out (core/solve/stream/evaluate.hpp)."""

    T_ns: Floats
    """By θ asked for, and `right`, its slope towards higher θ."""
    right: Floats
    left: Floats
    """By the first θ asked for: the slope towards lower θ."""
    far: tuple[float, float]
    """Constant and slope of the line that T follows for large θ."""
    vertices: int
    """Of the graph, and what follows."""
    edges: int
    messages: int
    bytes: int
    warnings: list[Warning]
    nodes: int
    """Joins that were evaluated."""
    most_held: int
    """Operations that were kept at a time, at most."""
    tallies: Tallies

class StreamPath:
    """The critical path of a trace in pieces, in sums (core/solve/stream/path.hpp)."""

    T_ns: float
    ideal_ns: float
    """T where messages cost nothing."""
    passes: int
    """Over the trace: two where the sums of all paths would be too many."""
    survivors: int
    """Nodes of the tree of paths that were kept at a time, at most."""
    waits: Waits
    """Its places, time spent and waits; there are no delays, and nothing is by single call."""
    place_call: list[str]
    """By place, which is a call and a site: the call; the first place is no call's, "". What
    follows, too: of the program, then of the path."""
    place_site: NDArray[np.uint32]
    """Index into the sites of the trace, or NO_SITE."""
    place_calls: Integers
    place_bytes_sent: Integers
    place_bytes_received: Integers
    place_steps: Integers
    """Vertices of the path."""
    place_latencies: Integers
    place_overheads: Integers
    place_before_ns: Floats
    """Computation right before these calls."""
    place_calc_ns: Floats
    place_copying_ns: Floats
    """What O costs."""
    place_latency_ns: Floats
    place_gap_ns: Floats
    place_path_bytes: Floats
    rank_end_ns: Floats
    """By rank, and what follows."""
    rank_calc_ns: Floats
    rank_overhead_ns: Floats
    rank_useful_ns: Floats
    rank_path_ns: Floats
    pair_source: Integers
    """By pair of ranks with messages, and what follows."""
    pair_destination: Integers
    pair_messages: Integers
    pair_bytes: Integers
    pair_latencies: Integers
    """On the path."""
    pair_path_bytes: Integers
    sender_received: Integers
    """Places where messages of the path are received,"""
    sender_sent: Integers
    """those where they are sent,"""
    sender_latencies: Integers
    """and their latencies on the path."""

class Pass:
    """How a pass goes over a trace in pieces, by so many threads (0: one per core); `progress` is
    told how many bytes have been read."""

    def __init__(
        self,
        collectives: Sequence[str] = (),
        reduce_ns_per_byte: float = 0.0,
        skip_unsupported: bool = False,
        async_progress: bool = False,
        threads: int = 0,
        progress: Callable[[int], None] | None = None,
        call_times: CallTimes | None = None,
    ) -> None: ...

    on_lines: int  # operations whose time others may have waited for that are kept, about

class StreamSlack:
    """The slack of all messages of a trace in pieces, in sums (core/solve/stream/slack.hpp)."""

    written: int
    """Bytes that were in the folder."""
    def groups(self) -> list[dict[int, SlackSums]]:
        """By code of the call that posts the receive, by communicator, and by size, as
        Model.slack_groups."""

    def by_site(self) -> dict[int, SlackSums]:
        """By site, of messages that are sent or received there."""

    def by_pair(self) -> dict[int, SlackSums]:
        """By source << 32 | destination, in this order."""

class Pieces:
    """A trace of ours whose files are read piece by piece. InputError as Format.read;
    NotInPiecesError where a rank has several threads."""

    def __init__(self, paths: Sequence[str], chosen: Mapping[str, str] = {}) -> None: ...
    trace: Trace
    """Everything but the ranks' events."""
    bytes: int
    """Of all files."""
    records: int
    checksums: list[tuple[int, int]]
    """Of each file its size, and a checksum over those of its chunks."""
    def collective_operations(self, collectives: Sequence[str]) -> float:
        """About how many sends and receives its collectives become, of all ranks together."""

    def evaluate(
        self,
        network: Network,
        values: Floats,
        how: Pass,
        left: int = 0,
        theta: str = "L",
        fixed: Floats | None = None,
        weight: Floats | None = None,
    ) -> StreamFound:
        """One pass: T and its slopes at these θ (`theta`, `fixed`, `weight` as of Model.along), of
        the first `left` to the left, too.
        InputError as build_graph and Model.along; NotInPiecesError: not without the whole trace."""

    def critical_path(self, network: Network, how: Pass) -> StreamPath:
        """One pass: the critical path on the network. Errors as `evaluate`."""

    def slack(self, network: Network, how: Pass, folder: str, rounding: float) -> StreamSlack:
        """One pass, and a way back over what that writes into the folder. What is up to `rounding`
        of T is none. Errors as `evaluate`; InputError also where the folder takes nothing."""

def synthetic_calls_per_step(pattern: str, ranks: int) -> int:
    """MPI calls of all ranks in a step of a pattern: halo, wavefront, cg."""

def synthetic_grid(ranks: int) -> tuple[int, int]:
    """Columns and rows of the wavefront's ranks."""

class SyntheticRank:
    """One rank's file of a trace that nobody recorded."""

    def __init__(
        self,
        pattern: str,
        ranks: int,
        steps: int,
        message_bytes: int,
        compute_ns: int,
        rank: int,
        meta: str,
    ) -> None: ...
    def next(self) -> bytes:
        """What comes next of it, about 1 MiB at most; empty at its end."""

class Kind(enum.IntEnum):
    """What a vertex is."""

    calc = 0
    send = 1
    recv = 2
    transfer = 3

class DepKind(enum.IntEnum):
    """What a dependency means (core/graph/graph.hpp)."""

    requires_end = 0
    requires_start = 1
    released = 2
    posted = 3
    served = 4

NO_VERTEX: int
"""In `partner`: the vertex has none."""
NO_ORIGIN: int
"""In `origin`: the vertex came from no call."""
NO_SITE: int
NO_MODULE: int
"""In `call_site`: where the call was made is not known."""

class Tally:
    """Calls of one name that a graph does not hold as they were made, of all ranks together."""

    call: str
    calls: int
    ns: int
    """Spent in them."""
    first: str
    """The first of them: "file:line: name"."""
    sites: dict[int, int]
    """How many were made at each call site (index into sites, or NO_SITE)."""

class Tallies:
    """What a graph lacks of the run."""

    unsupported: list[Tally]
    """Calls that no graph expresses."""
    unrecorded: list[Tally]
    """Calls that name a request which no recorded call has made."""
    unfinished: list[Tally]
    """Sends that nothing completes: as if their request was freed."""
    ranks_ns: int
    """How long all ranks took together."""

class UnsupportedCallsError(InputError):
    """Calls that cannot be expressed were not to be left out."""

    tallies: Tallies

class Graph(_Sites):
    """Execution graph: calc, send and recv vertices (core/graph/graph.hpp)."""

    ranks: int
    vertices: int
    edges: int
    messages: int
    bytes: int
    communicators: int
    warnings: list[Warning]
    rank_begin: NDArray[np.uint32]  # (ranks + 1,) offsets into the vertex arrays
    kind: NDArray[np.uint8]  # (vertices,) of Kind
    value: NDArray[np.int64]  # (vertices,) calc ns, else bytes
    partner: NDArray[np.uint32]  # (vertices,) matched vertex or NO_VERTEX
    tag: NDArray[np.int32]
    origin: NDArray[np.uint32]  # (vertices,) index into calls or NO_ORIGIN
    cpu: NDArray[np.uint32]  # (vertices,) the rank's thread, or GOAL's cpu
    nic: NDArray[np.uint32]  # (vertices,) GOAL's nic
    chained: NDArray[np.uint8]  # (vertices,) 1: follows the rank's previous vertex
    blocking: NDArray[np.uint8]  # (vertices,) 1: a send that releases the CPU at its end only
    synchronous: NDArray[np.uint8]  # (vertices,) 1: rendezvous whatever its size
    immediate: NDArray[np.uint8]  # (vertices,) 1: a message of MPI_Isend's kind
    recorded: NDArray[np.uint8]
    """(vertices,) 1: time that a call took, or a message whose call has such a time."""
    dep_begin: NDArray[np.uint32]  # (vertices + 1,) offsets into the dependency arrays
    dep_vertex: NDArray[np.uint32]
    dep_kind: NDArray[np.uint8]  # of DepKind
    call_name: list[str]  # call names by code
    call_code: NDArray[np.uint16]  # (calls,) code of each recorded call
    is_open: bool  # messages or completions are left for `arrivals` to decide
    completed_in: NDArray[np.uint32]  # (vertices,), or (0,): the call that completes a receive which
    # another one has posted, or NO_ORIGIN
    call_comm: NDArray[np.uint32]  # (calls,)
    call_position: NDArray[np.uint32]  # (calls,) line (text) or record (binary) in the rank's file
    call_site: NDArray[np.uint32]  # (calls,) index into sites or NO_SITE
    def call_begin(self) -> NDArray[np.uint32]:
        """(ranks + 1,) where each rank's calls begin, and the end. A call that has made no vertex
        belongs to the rank of the one before it."""

    def call_kinds(self, rank: int, begin: int, end: int) -> NDArray[np.uint32]:
        """(end - begin,) of the rank's calls, which are these: equal numbers where function, call
        site, communicator and the rank of the first message's other end are."""

    tallies: Tallies
    """What it lacks of the run."""

    def scaled(self, factor: Floats) -> Graph:
        """(vertices,) each calc vertex takes so many times as long, in whole ns whose sums on a
        rank are right to 1 ns; InputError where a factor is negative or not finite."""

def in_file_order(graph: Graph, network: Network) -> Graph:
    """The graph where each CPU takes operations in the order of the file; InputError when they
    wait in a circle."""

def in_order_of(graph: Graph, places: NDArray[np.uint32]) -> Graph:
    """The graph where each CPU takes operations in the order of `Model.service`."""

class Arrivals:
    """What each receive takes that a graph leaves open, and which calls completed requests."""

class OpenChoices:
    @property
    def sources(self) -> int:
        """Receives from any source for which a rank is to be chosen."""

    @property
    def requests(self) -> int:
        """Requests for which it is to be chosen which of several calls completed them."""

def arrivals(graph: Graph, network: Network, factor: float = 1.0) -> Arrivals:
    """By a simulation on this network, with all latencies `factor` times as long: who comes first,
    and what is done when. InputError when a message or a receive is left over."""

def matched(graph: Graph, arrivals: Arrivals) -> Graph:
    """The graph with these messages and completions."""

def open_choices(graph: Graph) -> OpenChoices:
    """How often something is to be chosen."""

def chosen_otherwise(
    graph: Graph, arrivals: Arrivals, low: Arrivals, high: Arrivals
) -> OpenChoices:
    """How many of these are chosen otherwise in one of the others."""

def choices(graph: Graph) -> int:
    """How many orders of two operations on a CPU were added."""

def otherwise(graph: Graph, places: NDArray[np.uint32]) -> int:
    """How many of these are the other way round in these places."""

def build_graph(
    trace: Trace,
    collectives: Sequence[str] = (),
    reduce_ns_per_byte: float = 0.0,
    skip_unsupported: bool = False,
    threads: int = 0,
    consume: bool = False,
    traced_times: bool = False,
    async_progress: bool = False,
    leave_open: bool = False,
    call_times: CallTimes | None = None,
) -> Graph:
    """Trace → execution graph. `collectives` are --collective values; consume=True frees the
    trace's events as it goes (half the peak memory); traced_times=True keeps what `replayed`
    needs, an InputError where ranks have no common clock; async_progress=False: a receive meets the
    request of a rendezvous in the next call that may wait; leave_open=True leaves out what
    receives from any source took, and which calls completed a request, where the trace does not
    say, for `arrivals`; call_times has what calls cost, in place of o. UnsupportedCallsError where
    there are such and skip_unsupported=False."""

class CallTimes:
    """What calls of a run took where they had nothing to wait for (core/graph/call_times.hpp)."""

    def __init__(
        self,
        ends: Sequence[tuple[str, str, int, float]],
        collectives: Sequence[tuple[str, int, int, float]],
        eager: int,
        starts_ns: Sequence[int] = (),
    ) -> None:
        """`ends`: service, call, log2 of the size, and ns per end of a message; `collectives`:
        call, members, log2 of the size, and ns; up to `eager` bytes no blocking send waits;
        `starts_ns`: by rank, when it returned from MPI_Init, after the first one."""

def build_alone(
    trace: Trace,
    events: Sequence[int],
    collectives: Sequence[str] = (),
    reduce_ns_per_byte: float = 0.0,
) -> Graph:
    """The graph of one collective alone, as in CollectiveTimes.first, whose messages take no
    overheads at the CPUs that send and receive them."""

def call_names() -> list[str]:
    """Of every MPI call that is known, in the order of Graph.call_name."""

def collective_kinds() -> list[str]:
    """Kinds of a job's collectives, in the order of their numbers (core/graph/job/job.hpp)."""

def job_graph(
    ranks: int,
    *,
    rank: NDArray[np.uint32],
    resource: NDArray[np.uint32],
    ns: NDArray[np.int64],
    collective: NDArray[np.uint32],
    after: NDArray[np.uint32],
    before: NDArray[np.uint32],
    kind: NDArray[np.uint32],
    group: NDArray[np.uint32],
    transfer_ns: NDArray[np.int64],
    size: NDArray[np.float64],
    group_begin: NDArray[np.uint32],
    group_ranks: NDArray[np.uint32],
) -> tuple[Graph, NDArray[np.uint32], NDArray[np.uint32]]:
    """The graph of a job (core/graph/job/job.hpp), whose numbers must be in range.

    Returns:
        The graph, the vertex of each operation, and the transfer of each collective (NO_VERTEX:
        none).
    """

def describe_collectives(collectives: Sequence[str]) -> str: ...
def collective_algorithms() -> dict[str, list[str]]:
    """{"allreduce": ["recursive-doubling", …]}, the default first."""

class GraphFormat:
    """A format of whole execution graphs (core/graph/format.hpp)."""

    name: str
    title: str
    suffix: str
    by_suffix: bool

    def begins(self, head: bytes) -> bool: ...
    def read(self, path: str) -> Graph: ...
    def write(self, graph: Graph, path: str, eager_limit: int) -> None: ...

def graph_formats() -> list[GraphFormat]: ...
def graph_format(name: str) -> GraphFormat: ...

class Topology:
    """Switches between nodes on minimal routes (docs/model.md). `spec` is like the example of one
    of topology_kinds(), or hops:FILE; anything else is an InputError."""

    nodes: int
    spec: str

    def __init__(self, spec: str) -> None: ...
    def describe(self) -> str:
        """ "fat tree, k = 16, 3 tiers, 1024 nodes"."""
    def hops(self, nodes: NDArray[np.uint32]) -> NDArray[np.uint16]:
        """(n, n) switches on a minimal route between each two of `nodes`; 0 for the same node."""
    def links(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Both ends of every cable; nodes are 0 … nodes − 1, switches follow. InputError for a
        hop matrix, which does not say."""

class TopologyKind:
    """A kind of topology, and what it is in words."""

    name: str
    example: str
    """Of a `spec`."""
    what: str
    nodes: str
    """How many, as a formula."""
    hops: str
    """Switches between two different nodes."""

def topology_kinds() -> list[TopologyKind]: ...

RENDEZVOUS: tuple[str, ...]
"""The readings of the rendezvous protocol."""
GAPS: tuple[str, ...]
"""Who may hold messages apart."""

class Network:
    """LogGPS parameters; L and G by link class where ranks are placed on nodes.

    Message from rank i to rank j: class_of[node_of_rank[i], node_of_rank[j]] → classes[c]."""

    L: float
    o: float
    g: float
    G: float
    O: float  # noqa: E741
    S: int
    S_isend: int | None  # of messages of MPI_Isend's kind; None: S
    rendezvous: str  # "handshake", "llamp" or "sync"
    gap: str  # who holds a rank's messages max(g, B) apart: "none", "send" or "both" ends
    compute_scale: float  # computation takes so many times what the graph says
    classes: list[tuple[str, float, float]]  # name, L (ns), G (ns/byte); one at least
    node_of_rank: NDArray[np.uint32]  # (ranks,) empty with one class for all pairs
    class_of: NDArray[np.uint16]  # (nodes, nodes)

    def __init__(
        self,
        *,
        L: float,
        o: float,
        G: float,
        S: int,
        S_isend: int | None = None,
        g: float = 0.0,
        O: float = 0.0,  # noqa: E741
        rendezvous: str = "handshake",
        gap: str | None = None,  # None: "send" where g > 0, else "none"
        compute_scale: float = 1.0,
        classes: Sequence[tuple[str, float, float]] = (),
        node_of_rank: NDArray[np.uint32] | None = None,
        class_of: NDArray[np.uint16] | None = None,  # (nodes, nodes)
        S_of_class: Sequence[int | None] = (),  # None: S, or S_isend
    ) -> None: ...
    def eager_limit(self, immediate: bool) -> int:
        """Largest message sent eagerly, by a call of MPI_Isend's kind or by others."""

version: str

def keep_freed_memory() -> None:
    """From now on the process keeps what it frees, and takes it again for other arrays.

    A third of the system's time of a long analysis is saved, for a few per cent more memory. It
    holds for all that allocates by malloc, so it is for a process that is Latitude's own.
    """

def vector_units() -> list[str]:
    """Those that this processor has and kernels are compiled for, the widest last."""

def release_freed() -> None:
    """Gives back memory that was freed, here and by Python, and the allocator keeps."""

def vector_unit() -> str: ...
def use_vector_unit(name: str) -> None:
    """From now on, to compare them; no bit of a result depends on it. InputError if unknown here."""

class AffineDag:
    """T(θ) as a longest path with affine weights; θ ≥ 0 is L (ns), G (ns/byte) or o (ns)."""

    theta: str
    baseline: float  # value of θ in the network it was compiled with
    nodes: int
    edges: int
    memory_bytes: int

    def runtime(self, theta: Floats, lanes: int = 8) -> Floats:
        """T at each θ."""
    def runtime_at(self, theta: float) -> float:
        """T at one θ. Nothing of it needs NumPy, whose import takes longer than many a sweep."""
    def slopes(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """T, left derivative and right derivative at each θ."""
    def tolerance(self, limits: Floats, start: float) -> Floats:
        """Largest θ ≥ start with T(θ) ≤ limit, for each limit (ns); inf when unbounded."""
    def breakpoints(self, low: float, high: float, threads: int = 0) -> tuple[Floats, Floats, Floats, Floats]:
        """All θ in (low, high) where the slope changes: θ, T, slope to the left and to the right."""
    def curve(
        self,
        low: float,
        high: float,
        most: int | None = None,
        within: float = 1e-4,
        threads: int = 0,
        progress: Callable[[float], None] | None = None,
    ) -> CurveFound:
        """The first `most` of them (None: all), and T within a share of it beyond these.

        `progress` is told which share of the list is there.
        """

def curve_in_passes(
    evaluate: Callable[[list[float], int], tuple[list[float], list[float]]],
    low: float,
    high: float,
    most: int | None = None,
    within: float = 1e-4,
    progress: Callable[[float], None] | None = None,
) -> CurveFound:
    """`AffineDag.curve`, and its bits, of what is evaluated otherwise than in memory.

    `evaluate` has T at all θ it is given, and its slope: towards lower θ at the first so many,
    towards higher θ at the others.
    """

class CurveFound:
    """T over an interval. Up to the last of `value`, all θ where the slope changes are listed.

    Beyond it T is at least what the tangents say, and at most what the lines between their points
    do, which differ by the share `bound` of T. The last tangent is that at the interval's end;
    there are none where all of the interval is listed.
    """

    value: Floats
    T_ns: Floats
    left: Floats  # slopes
    right: Floats
    beyond_value: Floats
    beyond_T_ns: Floats
    beyond_slope: Floats
    bound: float
    sweeps: int  # passes over the graph, of up to 16 θ each

class SlackSums:
    """The slack of messages that have something in common."""

    messages: int
    critical: int  # without any
    tight: int  # with less than L
    least_ns: float
    sum_ns: float

class CriticalPath:
    """The longest path at one network: its vertices in time order, and where the time goes.

    Arrays of steps, pairs and messages are views of the path itself."""

    T_ns: float
    latency_count: float  # λ_L
    byte_count: float  # λ_G
    overhead_count: float  # λ_o
    calc_ns: float
    overhead_ns: float
    latency_ns: float
    bandwidth_ns: float
    vertex: NDArray[np.uint32]  # (n,)
    rank: NDArray[np.uint32]  # (n,)
    start_ns: Floats  # (n,) when the path enters the vertex
    end_ns: Floats  # (n,) when it leaves it
    # What each step consists of: (n,) or, where few differ, (n,) indices into values, and these.
    step_calc_ns: Floats | tuple[NDArray[np.uint16], Floats]
    step_overhead_ns: Floats | tuple[NDArray[np.uint16], Floats]  # o, and what g and O cost
    step_network_ns: Floats | tuple[NDArray[np.uint16], Floats]  # latency, and bytes on the wire
    step_latency_ns: Floats | tuple[NDArray[np.uint16], Floats]  # of that, latency
    step_latencies: Floats | tuple[NDArray[np.uint16], Floats]  # as a count
    rank_end_ns: Floats  # (ranks,) when each rank finishes
    rank_calc_ns: Floats  # (ranks,) time each rank computes
    rank_overhead_ns: Floats  # (ranks,) time each rank spends in o (the rest, up to its end, it waits)

class MessageSlack:
    """What single messages can take on each of their latencies, alone, before T grows."""

    pair_source: NDArray[np.int64]  # (pairs,) by source, then destination
    pair_destination: NDArray[np.int64]  # (pairs,)
    pair_messages: NDArray[np.int64]
    pair_bytes: NDArray[np.int64]
    pair_least_slack_ns: Floats  # (pairs,) what the tightest message can take on each latency
    pair_mean_slack_ns: Floats
    pair_lambda_L: Floats  # (pairs,) latencies of the pair on the critical path
    pair_lambda_G: Floats  # (pairs,) its bytes on the critical path
    message_receive: NDArray[np.uint32]  # (messages,) the vertex that receives each
    message_slack_ns: Floats  # (messages,) as MessageDag.slack() at the network's L
    site_least_slack_ns: Floats  # (sites,) as of pairs, of the messages sent or received there

class Waits:
    """Where each rank's time goes on one network, and who made whom wait (docs/waits.md): tables
    of ns, one row for each that is not empty, sorted by their keys."""

    causes: list[str]  # of waits, by code
    activities: list[str]  # by code
    place_call: NDArray[np.uint16]  # (places,) call code, or one beyond call_name: none recorded
    place_site: NDArray[np.uint32]  # (places,) index into sites or NO_SITE
    # (places,) of what another call has posted: that call; as place_call and place_site
    place_posted_call: NDArray[np.uint16]
    place_posted_site: NDArray[np.uint32]
    spent_rank: NDArray[np.uint32]
    spent_place: NDArray[np.uint32]
    spent_activity: NDArray[np.uint8]
    spent_ns: Floats
    # (calls,) where asked for, else (0,)
    call_place: NDArray[np.uint32]  # index of the call's place
    call_before_ns: Floats  # computation before the call
    call_within_ns: Floats  # all of its rank's time in it
    wait_rank: NDArray[np.uint32]
    wait_place: NDArray[np.uint32]
    wait_cause: NDArray[np.uint8]
    wait_ns: Floats
    delay_rank: NDArray[np.uint32]  # that others waited for
    delay_place: NDArray[np.uint32]  # where it was, or before which
    delay_activity: NDArray[np.uint8]
    delay_direct_ns: Floats
    delay_indirect_ns: Floats
    rank_delaying: NDArray[np.uint32]  # the same by ranks
    rank_waiting: NDArray[np.uint32]
    rank_direct_ns: Floats
    rank_indirect_ns: Floats
    place_delaying: NDArray[np.uint32]  # the same by places
    place_waiting: NDArray[np.uint32]
    place_direct_ns: Floats
    place_indirect_ns: Floats
    unpaired_ns: float  # of the delays: which rank waited is in no row of rank_delaying
    unexplained_ns: float  # of the waits: what is behind them was no longer kept
    seen_ns: list[Floats]  # of each look: (rows, cells, activities and then waits)

NO_GROUP: int

class RandomDag:
    """T of a sample as a longest path, with a random latency on each message.

    A table is 4,096 equally likely values. The draw of a message in a sample is a function of
    (seed, message, sample) alone, and sums are exact (every instant is a multiple of quantum_ns):
    the same bits for any threads, lanes and ranges of samples, pruned or not."""

    nodes: int
    draws: int
    """Draws a sample needs."""
    memory_bytes: int
    quantum_ns: float
    bounds_ns: tuple[float, float]
    """Between which values a table of with_table() may lie."""

    def lower_ns(self) -> float:
        """T when every draw is its table's mean: no more than E[T] (Jensen)."""
    def upper_ns(self) -> float:
        """T when every draw is its table's largest: no sample exceeds it."""
    def with_table(self, table: Floats, noise: Floats | None = None) -> RandomDag:
        """The same graph drawing from other tables within the bounds it was compiled for."""
    def runtimes(
        self, seed: int, first: int, count: int, threads: int = 0, lanes: int = 8
    ) -> Floats:
        """T, ns, of samples first … first + count − 1; lanes are 1, 2, 4, 8 or 16."""
    def critical(
        self, seed: int, first: int, count: int, groups: Sequence[NDArray[np.uint32]], threads: int = 0
    ) -> list[tuple[NDArray[np.uint64], NDArray[np.uint64]]]:
        """Of the same samples, for each grouping: in how many samples a message of each group was
        on the critical path, and how many latencies of it, all samples together. groups[i][v] is
        the group of the message vertex v receives, NO_GROUP when none."""

class MessageDag:
    """T(L) with every message kept, so that each one's slack can be asked for."""

    receive: NDArray[np.uint32]  # (messages,) receive vertex of each message

    def slack(self, theta: float) -> Floats:
        """(messages,) ns of extra latency that the message can take alone before T grows, with L
        of class 0 at θ and the other classes as far from it as in the network."""

class MessagePath:
    """One of the longest paths, known by the messages whose latencies it has."""

    length_ns: float
    receive: NDArray[np.uint32]  # receive vertices of these messages, in time order

class PlacementDag:
    """T on any placement: the graph compiled once, messages priced by the nodes of their ranks."""

    ranks: int
    nodes: int  # joins in the DAG
    pair_source: NDArray[np.uint32]  # (pairs,) ordered pairs of ranks that exchange messages
    pair_destination: NDArray[np.uint32]

    def runtimes(self, placements: NDArray[np.uint32], threads: int = 0) -> Floats:
        """T (ns) of each row of `placements` (count, ranks): the node of every rank."""
    def shares(self, placement: NDArray[np.uint32], smoothing_ns: float = 0.0) -> tuple[Floats, Floats]:
        """By pair: latencies (λ_ij) and bytes (λ_G,ij) on the critical path; smoothing counts a
        path that is d ns shorter with the weight exp(-d / smoothing)."""

class Work:
    """How long a program computes outside MPI, ns, before any compute_scale; what collectives
    compute is MPI's."""

    rank: NDArray[np.uint32]
    """By processor: each rank, and after it each further thread of a rank that computes."""
    useful_ns: Floats
    """By processor."""

class Schedule:
    """When everything starts and ends on one network (core/solve/schedule.hpp)."""

    start_ns: Floats  # (vertices,)
    end_ns: Floats  # (vertices,)

class Model:
    """A graph on a network: each kind of question about it is compiled once, when it is first
    asked."""

    graph: Graph
    network: Network

    def __init__(self, graph: Graph, network: Network) -> None: ...
    def runtime(self) -> float:
        """T (ns) on the network as it is, without compiling anything: as `along` says it at the
        network's own value, but for the rounding of sums. InputError as there."""

    def along(
        self, theta: str = "L", fixed: Floats | None = None, weight: Floats | None = None
    ) -> AffineDag:
        """T(θ). L (theta="L") or G (theta="G") of link class c is fixed[c] + weight[c] · θ, which
        is compiled anew each time; without them θ is that of class 0, and the other classes keep
        their distance from it. InputError when operations wait in a circle."""

    def service(
        self,
        at: float,
        theta: str = "L",
        fixed: Floats | None = None,
        weight: Floats | None = None,
    ) -> NDArray[np.uint32]:
        """(vertices,) which place each has among all when each CPU serves whoever comes first, at
        this value of θ (as in `along`); orders of CPUs that the graph has are not looked at."""

    def overlapping(self) -> int:
        """How many operations begin on a CPU that another one holds, on the network as it is."""

    def critical_path(self) -> CriticalPath: ...
    def slack(self, paths: int = 0) -> MessageSlack:
        """The slack of all messages, and, from the same compiled graph, that many `top_paths`. It
        takes much memory for a while."""

    def forget_compiled(self) -> None:
        """Releases the graphs compiled along L, G and o as the network has them."""

    def slack_groups(self, rounding: float, latency: float) -> list[dict[int, SlackSums]]:
        """The messages of `slack`, which comes first: by code of the call that has posted the receive (one
        beyond all of them where none has), by communicator (without those), and by size: 0 of none,
        k + 1 of up to 2^k bytes. Slack of no more than `rounding` is none; `latency` is L."""

    def message_ends(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """(messages,) the ranks that send and receive the messages of `slack`, which comes first."""

    # looks: from and to, ns; cells, and ranks in a row
    def waits(
        self,
        each_call: bool = False,
        looks: Sequence[tuple[float, float, int, int]] = (),
        together: bool = False,
    ) -> Waits:
        """Where each rank's time goes. `together`: no wait is followed by itself, as where there
        are very many."""
    def messages(self) -> MessageDag:
        """Compiled anew each time: it takes more memory than what it is asked for once."""

    def top_paths(self, k: int) -> list[MessagePath]:
        """The k longest paths that differ in their messages, longest first; fewer where there are
        no more. The length of a set of messages is that of the longest path along just these."""

    def random(
        self,
        table: Floats,
        *,
        where: str = "flow",
        per: str = "message",
        noise: Floats | None = None,
        noise_per: str = "vertex",
        prune: bool = True,
        bounds: tuple[float, float] | None = None,
        noise_bounds: tuple[float, float] | None = None,
    ) -> RandomDag:
        """With tables of what is added to each latency (ns) and what each computation is
        multiplied with. `where`: "flow" (on the wire) or "sender" (on the CPU that posts); `per`:
        what shares a draw in a sample, "message", "pair" or "rank"; `noise_per`: "vertex" or
        "rank". `bounds`: of tables to come; by default those of this table."""

    def tangent(self, parameters: Floats) -> tuple[float, Floats]:
        """T (ns) on the network as it is, and its slope along each of up to eight parameters.

        parameters: (parameters, 2 · classes + 2) what one more unit adds to a latency of each link
        class, to a byte of each, to an overhead, and to the factor on computation. InputError as
        of `runtime`."""

    def placements(self) -> PlacementDag:
        """With the network's parameters, link classes and class_of; its placement is not used."""

    def schedule(self) -> Schedule:
        """Critical path, waits and ideal runtime are of one pass over the graph for as long as this
        is kept; 52 bytes a vertex."""

    def work(self) -> Work: ...
    def ideal_runtime(self) -> float:
        """T (ns) where messages cost nothing and compute_scale is 1; who waits for whom stays."""

    def replayed(self) -> Graph:
        """The graph of a traced run, each computation lengthened to end no earlier than it did
        then (core/solve/replay.hpp); InputError for a graph built without traced_times."""

class ExactPaths:
    """Inequalities x[head] ≥ x[tail] + cost in whole numbers of 128 bits (core/exact).

    A number is two words, the high one first; θ is numerator and denominator, where a denominator
    of 0 is beyond any θ. Every answer is proved by a path and by potentials; InputError where a
    number needs too many bits."""

    def __init__(
        self, variables: int, finish: int, head: NDArray[np.int64], tail: NDArray[np.int64]
    ) -> None:
        """InputError when rows go round in a circle."""
    def price(self, counts: Sequence[NDArray[np.int64]], prices: NDArray[np.int64]) -> None:
        """`counts`: computation, overheads, gaps, copied, hops, bytes and link of every row.
        `prices`: constant and slope of one of each, then latency and byte of every link class."""
    def longest(self, theta: NDArray[np.int64], right: bool) -> NDArray[np.int64]:
        """(4,) constant and slope of the longest path; of those that tie, towards higher θ or
        lower θ."""

def nccl_algorithms() -> dict[str, list[str]]:
    """The algorithms of each of NCCL's collectives, the default first."""

def nccl_protocols() -> list[str]: ...

class Job:
    """Builds the graph of a job on GPUs (core/graph/nccl/job.hpp)."""

    operations: int

    def __init__(
        self, ranks: int, streams: int, nics: int, combine_ns_per_byte: float
    ) -> None: ...
    def compute(self, rank: int, stream: int, ns: int) -> None: ...
    def record(self, rank: int, stream: int) -> int: ...
    def wait(self, rank: int, stream: int, event: int) -> None: ...
    def collective(
        self,
        members: list[int],
        stream: int,
        operation: str,
        algorithm: str,
        protocol: str,
        channels: int,
        size: int,
        root: int,
        ranks_per_node: int,
        launch_ns: int,
    ) -> None: ...
    def finish(self) -> Graph: ...
