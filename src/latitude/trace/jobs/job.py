"""A job as its reader hands it over, and the execution graph that it becomes."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Booleans, Floats, Integers
from latitude.notices.notice import Notice

DAMAGED = (msgspec.DecodeError, RecursionError, ValueError)
"""Errors of msgspec's decoder about damaged JSON, or text in another encoding."""
MOST_RANKS = 1 << 17
MOST_NS = 1 << 53
"""Longer durations and larger sizes are not whole in a double."""
_MOST_TRIPS = 16
_NONE = 0xFFFFFFFF
_OF_CPU = ("cpu", "thread")
"""How the names of a CPU's resources begin; all others are streams."""
_RESOURCES = _core.resource_kinds()
KINDS = tuple(_core.collective_kinds())
"""Kinds of collectives; `core/graph/job/job.cpp` says how each of them sends."""
EAGER = "eager_send"


@dataclass(frozen=True, slots=True)
class RecordedJob:
    """Data of a job for sections, in addition to its graph. Times in ns, sizes in bytes."""

    kind: tuple[str, ...]
    """(collectives,) one of KINDS."""
    group: Integers
    """(collectives,) index into `groups`."""
    bytes: Floats
    """(collectives,) of the whole buffer."""
    transfer: Integers
    """(collectives,) the vertex in which the network is busy."""
    groups: tuple[tuple[int, ...], ...]
    """Ranks, in the order of the ring."""
    group_names: tuple[str, ...]
    group_roles: tuple[str, ...]
    """Purpose of each group, e.g. `mesh_tp`; may be empty."""
    member: Integers
    """(members,) the vertex at which a rank has come to its collective."""
    member_of: Integers
    """(members,) index of that collective."""
    holds_up: Booleans
    """(members,) whether the collective waits for the member; false if it receives eagerly."""
    waits: Booleans
    """(members,) whether the member waits for the end; false if it sends eagerly."""
    has_times: bool = True
    """Whether times of transfers were recorded; without them the network's L and G are the cost."""
    modules: tuple[str, ...] = ()
    """Names of parts of the program."""
    module: Integers = field(default_factory=lambda: np.empty((0, 2), np.int64))
    """(operations of parts, 2) their vertices, and indices into `modules`."""
    edges: dict[str, int] = field(default_factory=dict)
    """How many dependencies the reader restored, by kind."""
    cpu: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    """(operations of CPUs,) their vertices."""
    streams: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    """(operations of GPU streams,) their vertices."""


@dataclass(slots=True)
class _Collective:
    kind: int
    group: int
    bytes: int
    ns: int
    trips: int
    members: dict[int, int] = field(default_factory=dict)
    """Operation by rank."""


@dataclass(frozen=True, slots=True)
class MadeJob:
    """A job made of its ranks' files."""

    job: "JobBuilder"
    wall_ns: float | None
    """From the first event of a rank to the last one of any; None if not recorded."""
    warnings: tuple[Notice, ...]


class JobBuilder:
    """Takes a job's operations one by one, those of a resource in their order."""

    def __init__(self, ranks: int) -> None:
        if not 1 <= ranks <= MOST_RANKS:
            raise InputError(f"a job has 1 to {MOST_RANKS:,} ranks, not {ranks:,}")
        self.ranks = ranks
        self.edges: dict[str, int] = {}
        self.part = ""
        """The part of the program that operations belong to which are added next."""
        self._part: list[int] = []
        self._parts: dict[str, int] = {"": 0}
        self._rank: list[int] = []
        self._resource: list[int] = []
        self._ns: list[int] = []
        self._collective: list[int] = []
        self._after: list[int] = []
        self._before: list[int] = []
        self._resources: dict[str, int] = {}
        self._groups: dict[tuple[str, tuple[int, ...]], int] = {}
        self._group_ranks: list[frozenset[int]] = []
        self._roles: list[str] = []
        self._collectives: list[_Collective] = []
        self._by_sequence: dict[tuple[int, Hashable], int] = {}

    def operation(
        self, rank: int, on: str | None, ns: int, after: Sequence[int] = (), edge: str = "after"
    ) -> int:
        """Adds an operation.

        Args:
            rank: whose it is.
            on: the resource that runs it, one operation after the other; without one it delays no
                others.
            ns: how long it takes.
            after: operations that must have ended.
            edge: the kind under which these dependencies are counted.

        Returns:
            Its number.
        """
        if not 0 <= rank < self.ranks:
            raise InputError(f"rank {rank} is not one of the job's {self.ranks:,}")
        if not 0 <= ns <= MOST_NS:
            raise InputError(f"a duration of {ns} ns; durations are 0 to 2^53 ns")
        number = len(self._rank)
        self._rank.append(rank)
        self._resource.append(
            _NONE if on is None else self._resources.setdefault(on, len(self._resources))
        )
        self._ns.append(ns)
        self._part.append(self._parts.setdefault(self.part, len(self._parts)))
        self._collective.append(_NONE)
        for before in after:
            self.depends(number, before, edge)
        return number

    def lasts(self, number: int, ns: int) -> None:
        """Says how long an operation takes, where that was not known when it was added."""
        self._ns[number] = ns

    def depends(self, number: int, before: int, edge: str = "after") -> None:
        """Lets an operation start after the end of another one of the same rank."""
        if not 0 <= before < len(self._rank) or self._rank[before] != self._rank[number]:
            raise InputError(
                f"operation {number} comes after {before}, which belongs to another rank; "
                "ranks wait for each other in collectives"
            )
        self._after.append(number)
        self._before.append(before)
        self.count(edge)

    def count(self, edge: str, many: int = 1) -> None:
        """Counts dependencies of a kind; those without a name belong to one that is counted."""
        if edge and many:
            self.edges[edge] = self.edges.get(edge, 0) + many

    @property
    def collectives(self) -> int:
        """So far."""
        return len(self._collectives)

    def group(self, ranks: Sequence[int], name: str = "", role: str = "") -> int:
        """The number of the group with these ranks, in the order of its ring, and this name.

        `role` is its purpose, and may be empty.
        """
        key = (name, tuple(ranks))
        if key not in self._groups:
            own = frozenset(ranks)
            if not own or len(own) < len(key[1]):
                raise InputError(f"group '{name}' is empty, or has a rank twice")
            if not all(0 <= rank < self.ranks for rank in own):
                raise InputError(f"group '{name}' has a rank beyond the job's {self.ranks:,}")
            self._groups[key] = len(self._groups)
            self._group_ranks.append(own)
            self._roles.append(role)
        return self._groups[key]

    def member(
        self, number: int, group: int, sequence: Hashable, kind: str, size: int, trips: int = 1
    ) -> None:
        """Makes an operation its rank's part in a collective.

        The collective begins when all members have come to it, and lasts as long as the shortest of
        the members' operations: the others have waited.

        Args:
            number: the operation.
            group: what `group` returned.
            sequence: tells the collectives of a group apart; the same on all ranks.
            kind: one of KINDS. An `eager_send` begins with its group's first rank, which does not
                wait. The others wait for the end.
            size: bytes of the whole buffer. The largest statement of a rank holds.
            trips: latencies of each step around a ring.
        """
        if kind not in KINDS:
            raise InputError(f"there is no collective '{kind}'; use {', '.join(KINDS)}")
        if not 0 <= size <= MOST_NS:
            raise InputError(f"a collective of {size} bytes; sizes are 0 to 2^53 bytes")
        if not 1 <= trips <= _MOST_TRIPS:
            raise InputError(f"a step of {trips} trips; a step has 1 to {_MOST_TRIPS}")
        if kind == EAGER and len(self._group_ranks[group]) == 1:
            raise InputError("an eager_send goes to another rank, and its group has one")
        rank, ns = self._rank[number], self._ns[number]
        at = self._by_sequence.setdefault((group, sequence), len(self._collectives))
        if at == len(self._collectives):
            self._collectives.append(_Collective(KINDS.index(kind), group, size, ns, trips))
        known = self._collectives[at]
        if KINDS[known.kind] != kind:
            other = next(iter(known.members))
            raise InputError(
                f"{self._name(group, sequence)} is {KINDS[known.kind]} on rank {other} and {kind} "
                f"on rank {rank}"
            )
        if rank not in self._group_ranks[group]:
            raise InputError(f"{self._name(group, sequence)}: rank {rank} is not in its group")
        if known.members.setdefault(rank, number) != number:
            raise InputError(f"{self._name(group, sequence)}: rank {rank} takes part twice")
        known.bytes, known.ns = max(known.bytes, size), min(known.ns, ns)
        self._collective[number] = at

    def shorten(self, number: int, ns: int) -> None:
        """Bounds how long the collective lasts that an operation takes part in."""
        known = self._collectives[self._collective[number]]
        known.ns = min(known.ns, ns)

    def _name(self, group: int, sequence: Hashable) -> str:
        name, ranks = list(self._groups)[group]
        return f"collective {sequence} of group '{name or list(ranks)}'"

    def lacking(self) -> tuple[int, str]:
        """How many collectives lack a rank of their group, and which the first is."""
        groups = self._group_ranks
        found = [
            (group, sequence, self._collectives[at].members.keys())
            for (group, sequence), at in self._by_sequence.items()
            if len(self._collectives[at].members) < len(groups[group])
        ]
        if not found:
            return 0, ""
        group, sequence, members = found[0]
        missing = min(groups[group] - members)
        return len(found), f"rank {missing} takes no part in {self._name(group, sequence)}"

    def graph(self) -> tuple[_core.Graph, RecordedJob]:
        """The execution graph. InputError: operations wait for each other in a cycle."""
        groups, every = [ranks for _, ranks in self._groups], self._collectives
        names = list(self._resources)
        own = np.array([name.startswith(_OF_CPU) for name in names] + [True])
        sizes = np.cumsum([0, *map(len, groups)])
        graph, vertex, transfer = _core.job_graph(
            self.ranks,
            rank=np.array(self._rank, np.uint32),
            resource=np.array(self._resource, np.uint32),
            resource_kind=np.where(own, *map(_RESOURCES.index, ("cpu", "stream"))).astype(np.uint8),
            ns=np.array(self._ns, np.int64),
            collective=np.array(self._collective, np.uint32),
            after=np.array(self._after, np.uint32),
            before=np.array(self._before, np.uint32),
            kind=np.array([each.kind for each in every], np.uint32),
            group=np.array([each.group for each in every], np.uint32),
            transfer_ns=np.array([each.ns for each in every], np.int64),
            size=np.array([each.bytes for each in every], np.float64),
            trips=np.array([each.trips for each in every], np.uint32),
            group_begin=sizes.astype(np.uint32),
            group_ranks=np.array([rank for ranks in groups for rank in ranks], np.uint32),
        )
        of = np.array(self._collective, np.uint32)
        members = np.flatnonzero(of != _NONE)
        one_way = np.array([KINDS[each.kind] == EAGER for each in every], bool)[of[members]]
        first = np.array([groups[each.group][0] for each in every], np.int64)[of[members]]
        sends = np.array(self._rank, np.int64)[members] == first
        resource = np.array(self._resource, np.uint32)
        part = np.array(self._part, np.int64)
        in_part = np.flatnonzero(part)
        of_cpu = own[np.minimum(resource, len(names))]
        return graph, RecordedJob(
            kind=tuple(KINDS[each.kind] for each in every),
            group=np.array([each.group for each in every], np.int64),
            bytes=np.array([each.bytes for each in every], np.float64),
            transfer=transfer.astype(np.int64),
            groups=tuple(groups),
            group_names=tuple(name for name, _ in self._groups),
            group_roles=tuple(self._roles),
            member=vertex[members].astype(np.int64),
            member_of=of[members].astype(np.int64),
            holds_up=~one_way | sends,
            waits=~(one_way & sends),
            has_times=not every or any(each.ns for each in every),
            modules=tuple(self._parts),
            module=np.stack([vertex[in_part].astype(np.int64), part[in_part]], axis=1),
            edges=dict(self.edges),
            cpu=vertex[of_cpu & (resource != _NONE)].astype(np.int64),
            streams=vertex[~of_cpu].astype(np.int64),
        )
