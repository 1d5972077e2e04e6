"""Chakra execution traces of synthetic jobs."""

from collections.abc import Sequence

import msgspec

from latitude.trace.jobs.chakra_file import (
    COLL,
    COLLECTIVES,
    COMP,
    METADATA,
    RECV,
    SEND,
    Node,
    Value,
    written,
)

_KINDS = {kind.replace("_", ""): number for number, kind in reversed([*enumerate(COLLECTIVES)])}
"""`comm_type`, by NCCL's name of a collective."""


class ChakraJob:
    """A job under construction, from operations of GPU streams in executable order."""

    def __init__(self, ranks: int) -> None:
        self._nodes: list[list[Node]] = [[] for _ in range(ranks)]
        self._ends: list[dict[int, list[int]]] = [{} for _ in range(ranks)]
        """Nodes for which the next node of each stream waits."""
        self._events: list[list[list[int]]] = [[] for _ in range(ranks)]
        self._groups: list[dict[str, dict[str, object]]] = [{} for _ in range(ranks)]

    @property
    def operations(self) -> int:
        """Number of nodes of all ranks so far."""
        return sum(map(len, self._nodes))

    def compute(self, rank: int, stream: int, ns: int) -> None:
        """Adds a computation to a stream."""
        self._add(rank, stream, COMP, "compute", ns)

    def record(self, rank: int, stream: int) -> int:
        """Adds an event that occurs when all present operations of the stream are done."""
        self._events[rank].append(list(self._ends[rank].get(stream, ())))
        return len(self._events[rank]) - 1

    def wait(self, rank: int, stream: int, event: int) -> None:
        """Lets later operations of the stream wait for an event of the same rank."""
        ends = self._ends[rank].setdefault(stream, [])
        ends += [end for end in self._events[rank][event] if end not in ends]

    def collective(
        self, role: str, name: str, members: Sequence[int], stream: int, size: int
    ) -> None:
        """Adds a collective on one stream of each member, or a message from the first member."""
        if name == "send":
            source, target = members
            for rank, kind, what, peer in (
                (source, SEND, "comm_dst", target),
                (target, RECV, "comm_src", source),
            ):
                self._add(rank, stream, kind, name, 0, comm_size=size, comm_tag=0, **{what: peer})
            return
        group = ",".join(map(str, members))
        for rank in members:
            self._groups[rank].setdefault(
                group, {"pg_name": group, "pg_desc": role, "ranks": list(members)}
            )
            share = size // len(members) if name == "allgather" else size
            kind = _KINDS[name]
            self._add(rank, stream, COLL, name, 0, comm_type=kind, comm_size=share, pg_name=group)

    def _add(
        self, rank: int, stream: int, kind: int, name: str, ns: int, **attributes: Value
    ) -> None:
        number = len(self._nodes[rank]) + 1  # number 0 is the metadata node
        after = self._ends[rank].get(stream, [])
        own = {"is_cpu_op": False, "stream": stream, **attributes}
        self._nodes[rank].append(Node(number, kind, name, after, ns, own))
        self._ends[rank][stream] = [number]

    def nodes(self, rank: int) -> list[Node]:
        """The nodes of a rank; the first node has the rank's groups."""
        groups = msgspec.json.encode([*self._groups[rank].values()]).decode()
        return [Node(0, METADATA, "## process_group:init ##", values=groups), *self._nodes[rank]]

    def file(self, rank: int) -> bytes:
        """The content of a rank's file."""
        return written(self.nodes(rank))
