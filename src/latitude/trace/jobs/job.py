"""A job as its reader builds it, and its execution graph."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import msgspec
import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Booleans, Floats, Integers
from latitude.notices.notice import Notice

DAMAGED = (msgspec.DecodeError, RecursionError, ValueError)
"""Errors of msgspec's decoder for damaged JSON, or text in another encoding."""
MOST_RANKS = 1 << 17
MOST_NS = 1 << 53
"""Largest duration (ns) or size; larger integers are not exact as doubles."""
_MOST_TRIPS = 16
_NONE = 0xFFFFFFFF
_OF_CPU = ("cpu", "thread")
"""Beginnings of the names of CPU resources; all other resources are streams."""
_RESOURCES = _core.resource_kinds()
KINDS = tuple(_core.collective_kinds())
"""Kinds of collectives; `core/graph/job/collectives.cpp` tells how each kind sends."""
EAGER = "eager_send"
ALGORITHMS = tuple(_core.job_algorithms())
"""NCCL's algorithms for collectives. The first, `ring`, stands for each kind's own algorithm;
`core/graph/job/collectives.cpp` tells how each algorithm sends.
"""
RECORDED = ALGORITHMS[:2]
"""The algorithms that a trace may tell, `ring` and `tree`."""
REDUCED = ("all_reduce", "barrier")
"""Kinds of collectives that may use a tree."""


@dataclass(frozen=True, slots=True)
class RecordedJob:
    """Data of a job for sections, in addition to its graph. Times are ns, sizes bytes."""

    kind: tuple[str, ...]
    """(collectives,) one of KINDS."""
    group: Integers
    """(collectives,) index into `groups`."""
    bytes: Floats
    """(collectives,) bytes of the whole buffer."""
    algorithm: Integers
    """(collectives,) index into ALGORITHMS."""
    collectives: _core.JobCollectives
    """The collectives in the core's form."""
    transfer: Integers
    """(collectives,) the vertex during which the network is busy."""
    groups: tuple[tuple[int, ...], ...]
    """Ranks of each group, in the order of the ring."""
    group_names: tuple[str, ...]
    group_roles: tuple[str, ...]
    """Role of each group, e.g. `mesh_tp`; may be empty."""
    member: Integers
    """(members,) the vertex at which a rank has arrived at its collective."""
    member_of: Integers
    """(members,) index of the collective."""
    holds_up: Booleans
    """(members,) whether the collective waits for the member; false for an eager receive."""
    waits: Booleans
    """(members,) whether the member waits for the end; false for an eager send."""
    has_times: bool = True
    """Whether times of transfers were recorded; otherwise the network's L and G give their cost."""
    modules: tuple[str, ...] = ()
    """Names of the program's modules."""
    module: Integers = field(default_factory=lambda: np.empty((0, 2), np.int64))
    """(operations of modules, 2) vertex, and index into `modules`."""
    edges: dict[str, int] = field(default_factory=dict)
    """Number of dependencies that the reader restored, by kind."""
    cpu: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    """(operations of CPUs,) vertices."""
    streams: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    """(operations of GPU streams,) vertices."""


@dataclass(slots=True)
class _Collective:
    kind: int
    group: int
    bytes: int
    ns: int
    trips: int
    algorithm: int
    members: dict[int, int] = field(default_factory=dict)
    """Operation by rank."""


@dataclass(frozen=True, slots=True)
class MadeJob:
    """A job built from its ranks' files."""

    job: "JobBuilder"
    wall_ns: float | None
    """Time from the first event to the last event of any rank, ns; None if not recorded."""
    warnings: tuple[Notice, ...]


def _check_way(kind: str, trips: int, algorithm: str) -> None:
    """Raises InputError if no collective of this kind has these trips and this algorithm."""
    if not 1 <= trips <= _MOST_TRIPS:
        raise InputError(f"a step of {trips} trips; a step has 1 to {_MOST_TRIPS}")
    if algorithm not in RECORDED:
        raise InputError(f"unknown algorithm '{algorithm}'; use {', '.join(RECORDED)}")
    if algorithm != RECORDED[0] and (kind not in REDUCED or trips > 1):
        raise InputError(f"only {', '.join(REDUCED)} with 1 trip can go by a {algorithm}")


class JobBuilder:
    """Builds a job from its operations; operations of one resource are added in order."""

    def __init__(self, ranks: int) -> None:
        if not 1 <= ranks <= MOST_RANKS:
            raise InputError(f"a job has 1 to {MOST_RANKS:,} ranks, not {ranks:,}")
        self.ranks = ranks
        self.edges: dict[str, int] = {}
        self.part = ""
        """The module to which the next operations belong."""
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
            rank: rank of the operation.
            on: resource, which runs its operations one after the other; an operation without a
                resource does not delay others.
            ns: duration of the operation.
            after: operations that must have ended.
            edge: the kind under which these dependencies are counted.

        Returns:
            Number of the operation.
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
        """Sets the duration of an operation that was added without a duration."""
        self._ns[number] = ns

    def depends(self, number: int, before: int, edge: str = "after") -> None:
        """Lets an operation start after the end of another operation of the same rank."""
        if not 0 <= before < len(self._rank) or self._rank[before] != self._rank[number]:
            raise InputError(
                f"operation {number} comes after {before}, which belongs to another rank; "
                "ranks wait for each other in collectives"
            )
        self._after.append(number)
        self._before.append(before)
        self.count(edge)

    def count(self, edge: str, many: int = 1) -> None:
        """Counts dependencies of a kind; dependencies without a kind are part of a counted one."""
        if edge and many:
            self.edges[edge] = self.edges.get(edge, 0) + many

    @property
    def collectives(self) -> int:
        """Number of collectives so far."""
        return len(self._collectives)

    def group(self, ranks: Sequence[int], name: str = "", role: str = "") -> int:
        """The number of the group with this name and these ranks, in ring order.

        `role` may be empty.
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
        self,
        number: int,
        group: int,
        sequence: Hashable,
        kind: str,
        size: int,
        trips: int = 1,
        algorithm: str = RECORDED[0],
    ) -> None:
        """Makes an operation the part of its rank in a collective.

        The collective begins when all members have arrived. It lasts as long as the shortest of the
        members' operations, because the other operations include waiting.

        Args:
            number: the operation.
            group: number from `group`.
            sequence: number that identifies the collective in its group, equal on all ranks.
            kind: one of KINDS. An `eager_send` begins with its group's first rank, which does not
                wait. The other ranks wait for the end.
            size: bytes of the whole buffer. The largest size of all ranks counts.
            trips: number of latencies per step around a ring.
            algorithm: one of RECORDED; the first member's algorithm counts.
        """
        if kind not in KINDS:
            raise InputError(f"unknown collective '{kind}'; use {', '.join(KINDS)}")
        if not 0 <= size <= MOST_NS:
            raise InputError(f"a collective of {size} bytes; sizes are 0 to 2^53 bytes")
        _check_way(kind, trips, algorithm)
        if kind == EAGER and len(self._group_ranks[group]) == 1:
            raise InputError("an eager_send goes to another rank, and its group has one")
        rank, ns = self._rank[number], self._ns[number]
        at = self._by_sequence.setdefault((group, sequence), len(self._collectives))
        if at == len(self._collectives):
            way = ALGORITHMS.index(algorithm)
            self._collectives.append(_Collective(KINDS.index(kind), group, size, ns, trips, way))
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
        """Limits the duration of the collective to which an operation belongs."""
        known = self._collectives[self._collective[number]]
        known.ns = min(known.ns, ns)

    def _name(self, group: int, sequence: Hashable) -> str:
        name, ranks = list(self._groups)[group]
        return f"collective {sequence} of group '{name or list(ranks)}'"

    def lacking(self) -> tuple[int, str]:
        """Number of collectives that lack a rank of their group; the first of these in words."""
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
        collectives = _core.JobCollectives(
            kind=np.array([each.kind for each in every], np.uint32),
            group=np.array([each.group for each in every], np.uint32),
            ns=np.array([each.ns for each in every], np.int64),
            size=np.array([each.bytes for each in every], np.float64),
            trips=np.array([each.trips for each in every], np.uint32),
            group_begin=sizes.astype(np.uint32),
            group_ranks=np.array([rank for ranks in groups for rank in ranks], np.uint32),
        )
        algorithm = np.array([each.algorithm for each in every], np.uint32)
        graph, vertex, transfer = _core.job_graph(
            self.ranks,
            rank=np.array(self._rank, np.uint32),
            resource=np.array(self._resource, np.uint32),
            resource_kind=np.where(own, *map(_RESOURCES.index, ("cpu", "stream"))).astype(np.uint8),
            ns=np.array(self._ns, np.int64),
            collective=np.array(self._collective, np.uint32),
            after=np.array(self._after, np.uint32),
            before=np.array(self._before, np.uint32),
            collectives=collectives,
            algorithm=algorithm,
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
            algorithm=algorithm.astype(np.int64),
            collectives=collectives,
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
