"""Builds a job from the Chakra execution traces of its ranks."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from pathlib import PurePath

import msgspec

from latitude._core import InputError
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.trace.jobs.chakra_file import (
    COLL,
    COLLECTIVES,
    COMP,
    MEM_LOAD,
    MEM_STORE,
    METADATA,
    RECV,
    SEND,
    Node,
    read_nodes,
)
from latitude.trace.jobs.job import DAMAGED, MOST_NS, MOST_RANKS, JobBuilder, MadeJob
from latitude.units.quantities import counted

_NUMBERS = re.compile(r"\d+")
_WHOLE = frozenset({"", "0", "default_pg"})
"""Names of groups that contain all ranks by default."""
_SHARED = frozenset({"all_gather", "gather"})
"""Kinds whose `comm_size` is each rank's share of the whole buffer."""


class _Group(msgspec.Struct):
    pg_name: str = ""
    pg_desc: str = ""
    ranks: list[int] = []


@dataclass(slots=True)
class ChakraRank:
    """The content of a rank's file."""

    name: str
    number: int
    nodes: list[Node]


@dataclass(slots=True)
class _Found:
    """Numbers of nodes with missing data, over all ranks."""

    timeless: int = 0
    without_peer: int = 0
    dangling: int = 0


@dataclass(slots=True)
class Groups:
    """The ranks of each group, and its role, by the group's name."""

    ranks: dict[str, tuple[int, ...]] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)


def read_chakra_rank(name: str, content: bytes) -> ChakraRank:
    """The rank in a file; its number is −1 if the name has none. InputErrors name file and byte."""
    try:
        nodes = read_nodes(content)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    if not nodes:
        raise InputError(f"{name}: a Chakra trace without nodes")
    for node in nodes:
        if not METADATA <= node.type <= COLL:
            raise InputError(f"{name}: {_called(node)} is of type {node.type}; types are 1 to 7")
        if not 0 <= node.ns <= MOST_NS:
            raise InputError(f"{name}: {_called(node)} takes {node.ns:,} ns; 2^53 are the most")
    digits = _NUMBERS.findall(PurePath(name).name.partition(".et")[0])
    return ChakraRank(name, int(digits[-1][-9:]) if digits else -1, nodes)


def read_groups(name: str, content: bytes) -> dict[str, tuple[int, ...]]:
    """Ranks of each group in a file for ASTRA-sim. InputError: the file is of another kind."""
    try:
        found = msgspec.json.decode(content, type=dict[str, list[int]])
    except DAMAGED as error:
        raise InputError(f"{name}: no file of groups: {error}") from error
    return {group: tuple(ranks) for group, ranks in found.items()}


def chakra_job(
    source: str, ranks: Sequence[ChakraRank], given: Mapping[str, tuple[int, ...]]
) -> MadeJob:
    """The job of these ranks, which have different numbers.

    Args:
        source: folder or archive of the ranks, for error messages.
        ranks: ranks by rising number.
        given: groups from another file in the same folder.

    Raises:
        InputError: the ranks do not fit together.
    """
    groups = _groups_of(ranks, given)
    peers = (_peer(node) for rank in ranks for node in rank.nodes if node.type in (SEND, RECV))
    listed = (rank for group in groups.ranks.values() for rank in group)
    world = 1 + max(*(rank.number for rank in ranks), *peers, *listed, 0)
    if world > MOST_RANKS:
        raise InputError(f"rank {world - 1:,} takes part; a job has at most {MOST_RANKS:,} ranks")
    job, found = JobBuilder(world), _Found()
    for rank in ranks:
        _RankBuilder(job, found, rank, groups).build()
    return MadeJob(job, None, tuple(_warnings(source, job, found, ranks)))


def _groups_of(ranks: Sequence[ChakraRank], given: Mapping[str, tuple[int, ...]]) -> Groups:
    groups = Groups(dict(given))
    for rank in ranks:
        for node in rank.nodes:
            if node.type == METADATA and "process_group:init" in node.name:
                for each in _listed(node.values):
                    groups.ranks.setdefault(each.pg_name, tuple(each.ranks))
                    groups.roles.setdefault(each.pg_name, each.pg_desc)
    return groups


def _listed(values: str) -> list[_Group]:
    """The groups in the text of a node's inputs; empty if the text is not from PyTorch."""
    begin, end = values.find("[{"), values.rfind("}]")
    try:
        return msgspec.json.decode(values[begin : end + 2].encode(), type=list[_Group])
    except DAMAGED:
        return []


def _warnings(
    source: str, job: JobBuilder, found: _Found, ranks: Sequence[ChakraRank]
) -> Iterator[Notice]:
    lacking, what = job.lacking()
    if lacking and len(ranks) == job.ranks:
        raise InputError(what)
    if lacking:
        yield kinds.JOB_LACKS_RANKS(
            f"{source}: {len(ranks)} of {job.ranks} ranks are here; "
            f"{counted(lacking, 'collective')} lack a member, the first one: {what}"
        )
    elif job.ranks == 1 and job.collectives:
        yield kinds.JOB_LACKS_RANKS(
            f"{source}: one rank, whose file names no other; "
            f"{counted(job.collectives, 'collective')} cost their recorded durations"
        )
    if found.timeless:
        yield kinds.JOB_WITHOUT_TIME(
            f"{counted(found.timeless, 'node')} have a size and no duration, and take no time"
        )
    if found.without_peer:
        yield kinds.JOB_WITHOUT_PEER(
            f"{counted(found.without_peer, 'message')} name no peer, and take as long as recorded"
        )
    if found.dangling:
        yield kinds.JOB_DANGLING(
            f"the files lack nodes that others depend on, {counted(found.dangling, 'time')}"
        )


def _called(node: Node) -> str:
    return f"byte {node.at:,}: node {node.number} ({node.name})"


def _peer(node: Node) -> int:
    """The partner of a send or a receive; −1 without a partner."""
    peer = node.attributes.get("comm_dst" if node.type == SEND else "comm_src")
    return peer if isinstance(peer, int) else -1


class _RankBuilder:
    """Adds the operations of one rank."""

    def __init__(self, job: JobBuilder, found: _Found, rank: ChakraRank, groups: Groups) -> None:
        self._job, self._found, self._rank, self._groups = job, found, rank, groups
        self._parents = any(node.attributes.get("is_cpu_op") for node in rank.nodes)
        """Whether control dependencies name the calling operator."""
        self._operation: dict[int, int] = {}
        """Operation by the number of its node."""
        self._sequence: Counter[object] = Counter()

    def build(self) -> None:
        for node in self._ordered():
            number = self._job.operation(self._rank.number, self._resource(node), node.ns)
            for before in self._before(node):
                if before in self._operation:
                    self._job.depends(number, self._operation[before], "Chakra")
            self._operation[node.number] = number
            try:
                self._take_part(number, node)
            except InputError as error:
                raise InputError(f"{self._rank.name}: {_called(node)}: {error}") from error

    def _before(self, node: Node) -> list[int]:
        """Numbers of the nodes for which this node waits, each once."""
        return [*dict.fromkeys(node.after if self._parents else node.after + node.control)]

    def _ordered(self) -> list[Node]:
        """The nodes in an executable order, as close to the file's order as possible."""
        nodes = self._rank.nodes
        place = {node.number: at for at, node in enumerate(nodes)}
        left = [0] * len(nodes)
        behind: list[list[int]] = [[] for _ in nodes]
        for at, node in enumerate(nodes):
            wanted = self._before(node)
            known = [place[before] for before in wanted if before in place]
            self._found.dangling += len(wanted) - len(known)
            left[at] = len(known)
            for before in known:
                behind[before].append(at)
        ready = [at for at, many in enumerate(left) if many == 0]
        heapify(ready)
        order = []
        while ready:
            at = heappop(ready)
            order.append(nodes[at])
            for after in behind[at]:
                left[after] -= 1
                if left[after] == 0:
                    heappush(ready, after)
        if len(order) < len(nodes):
            stuck = next(node for node, many in zip(nodes, left, strict=True) if many)
            raise InputError(
                f"{self._rank.name}: {_called(stuck)}: it waits for itself, by way of the nodes it "
                "depends on"
            )
        return order

    def _resource(self, node: Node) -> str | None:
        attributes = node.attributes
        if node.type == METADATA:
            return None
        if attributes.get("is_cpu_op"):
            return f"cpu thread {attributes.get('tid', 0)}"
        stream = attributes.get("stream")
        if stream is None and "is_cpu_op" in attributes:
            stream = attributes.get("tid")
        if stream is not None:
            return f"stream {stream}"
        if node.type in (SEND, RECV):
            return None
        return "communication" if node.type == COLL else "computation"

    def _take_part(self, number: int, node: Node) -> None:
        if node.attributes.get("is_cpu_op") or node.type == METADATA:
            return
        if node.type in (SEND, RECV):
            self._message(number, node)
        elif node.type == COLL:
            self._collective(number, node)
        elif node.type in (COMP, MEM_LOAD, MEM_STORE) and not node.ns:
            self._found.timeless += "num_ops" in node.attributes or "tensor_size" in node.attributes

    def _message(self, number: int, node: Node) -> None:
        own, peer = self._rank.number, _peer(node)
        if peer < 0:
            self._found.without_peer += 1
            return
        if peer == own:
            raise InputError("it sends to its own rank")
        pair = (own, peer) if node.type == SEND else (peer, own)
        key = (pair, node.attributes.get("comm_tag", 0), node.type)
        sequence = (key[1], self._sequence[key])
        self._sequence[key] += 1
        self._job.member(number, self._job.group(pair), sequence, "eager_send", _size(node))

    def _collective(self, number: int, node: Node) -> None:
        kind = node.attributes.get("comm_type", 0)
        if not isinstance(kind, int) or not 0 <= kind < len(COLLECTIVES):
            raise InputError(f"comm_type {kind} is unknown; Chakra has 0 to 9")
        name = str(node.attributes.get("pg_name", ""))
        ranks = self._members(name, node)
        group = self._job.group(ranks, name, self._groups.roles.get(name, ""))
        size = _size(node) * (len(ranks) if COLLECTIVES[kind] in _SHARED else 1)
        self._job.member(number, group, self._sequence[group], COLLECTIVES[kind], size)
        self._sequence[group] += 1

    def _members(self, name: str, node: Node) -> tuple[int, ...]:
        known = self._groups.ranks.get(name)
        every = tuple(range(self._job.ranks))
        if known is not None:
            return known or every
        if name not in _WHOLE:
            raise InputError(
                f"nothing says which ranks its group '{name}' has; put ASTRA-sim's file of groups "
                'into the folder, e.g. {"' + name + '": [0, 1]}'
            )
        dimensions = node.attributes.get("involved_dim", [])
        if isinstance(dimensions, list) and not all(dimensions):
            raise InputError(
                "it involves some dimensions of a network whose sizes no Chakra trace has; name "
                "its group (pg_name), with a file of groups"
            )
        return every


def _size(node: Node) -> int:
    size = node.attributes.get("comm_size", 0)
    return size if isinstance(size, int) else 0
