"""Small random message-passing programs: as GOAL text, and as arrays made without the reader.

A program is drawn operation by operation in an order in which it could run, so it is acyclic by
construction. A receive comes after its send, and a dependency points to an earlier operation of the
same rank. Everything that needs the *end* of a rendezvous send comes after the receive for which
that send waits.
"""

from dataclasses import dataclass, field, replace
from random import Random

import numpy as np

from .arrays import (
    CALC,
    NO_VERTEX,
    RECV,
    REQUIRES_END,
    REQUIRES_START,
    SEND,
    Arrays,
    Parameters,
)

EAGER_LIMIT = 8


@dataclass
class Operation:
    """One line of GOAL; `requires` and `irequires` hold indices into `Program.operations`."""

    rank: int
    kind: int
    value: int
    peer: int = -1
    tag: int = 0
    partner: int = -1
    requires: list[int] = field(default_factory=list)
    irequires: list[int] = field(default_factory=list)


@dataclass
class Program:
    """Operations in a runnable order, on `ranks` ranks; `unique_tags` makes the order in the
    text free."""

    ranks: int
    operations: list[Operation]
    unique_tags: bool

    def by_rank(self) -> list[list[int]]:
        """Indices of every rank's operations."""
        chosen: list[list[int]] = [[] for _ in range(self.ranks)]
        for i, operation in enumerate(self.operations):
            chosen[operation.rank].append(i)
        return chosen

    def text(self, rng: Random | None = None) -> str:
        """GOAL; with `rng`, operations and dependencies of a rank in random order if they may."""
        out = [f"num_ranks {self.ranks}"]
        for rank, own in enumerate(self.by_rank()):
            statements = [_statement(i, self.operations[i]) for i in own]
            needs = [line for i in own for line in _needs(i, self.operations[i])]
            if rng is not None and self.unique_tags:
                rng.shuffle(statements)
                rng.shuffle(needs)
            out += [f"rank {rank} {{", *statements, *needs, "}"]
        return "\n".join(out) + "\n"

    def arrays(self) -> Arrays:
        """The graph, vertices in rank order and within a rank as drawn."""
        order = [i for own in self.by_rank() for i in own]
        number = {i: v for v, i in enumerate(order)}
        operations = [self.operations[i] for i in order]
        deps = [
            [(number[d], REQUIRES_END) for d in operation.requires]
            + [(number[d], REQUIRES_START) for d in operation.irequires]
            for operation in operations
        ]
        flat = [dep for own in deps for dep in own]
        lengths = [len(own) for own in self.by_rank()]
        return Arrays(
            rank_begin=np.cumsum([0, *lengths]).astype(np.uint32),
            kind=np.array([x.kind for x in operations], np.uint8),
            value=np.array([x.value for x in operations], np.int64),
            partner=np.array(
                [NO_VERTEX if x.kind == CALC else number[x.partner] for x in operations], np.uint32
            ),
            chained=np.zeros(len(operations), np.uint8),
            blocking=np.zeros(len(operations), np.uint8),
            synchronous=np.zeros(len(operations), np.uint8),
            recorded=np.zeros(len(operations), np.uint8),
            immediate=np.zeros(len(operations), np.uint8),
            nic=np.zeros(len(operations), np.uint32),
            dep_begin=np.cumsum([0] + [len(own) for own in deps]).astype(np.uint32),
            dep_vertex=np.array([d for d, _ in flat], np.uint32),
            dep_kind=np.array([how for _, how in flat], np.uint8),
        )


def _statement(i: int, x: Operation) -> str:
    if x.kind == CALC:
        return f"l{i}: calc {x.value}"
    verb, side = ("send", "to") if x.kind == SEND else ("recv", "from")
    return f"l{i}: {verb} {x.value}b {side} {x.peer} tag {x.tag}"


def _needs(i: int, x: Operation) -> list[str]:
    return [f"l{i} requires l{d}" for d in x.requires] + [
        f"l{i} irequires l{d}" for d in x.irequires
    ]


def random_program(rng: Random, steps: int = 14) -> Program:
    """2 to `steps` operations, and the receives they need, on 2 to 4 ranks, which send to
    themselves too; many ties, so that derivatives differ."""
    ranks = rng.randint(2, 4)
    unique = rng.random() < 0.7
    program = Program(ranks, [], unique)
    pending: list[int] = []
    ended: list[list[int]] = [[] for _ in range(ranks)]
    started: list[list[int]] = [[] for _ in range(ranks)]
    chain = rng.random()  # how much the program looks like straight-line code
    largest = rng.choice([3, 20, 100, 1000])

    def add(operation: Operation) -> int:
        i = len(program.operations)
        _depend(rng, operation, ended[operation.rank], started[operation.rank], chain)
        program.operations.append(operation)
        started[operation.rank].append(i)
        return i

    def receive(which: int) -> None:
        send = pending.pop(which)
        sent = program.operations[send]
        i = add(Operation(sent.peer, RECV, sent.value, sent.rank, sent.tag, send))
        sent.partner = i
        ended[sent.peer].append(i)
        if sent.value > EAGER_LIMIT:
            ended[sent.rank].append(send)

    for _ in range(rng.randint(2, steps)):
        action = rng.random()
        rank = rng.randrange(ranks)
        if action < 0.35:
            ended[rank].append(add(Operation(rank, CALC, rng.randint(0, largest))))
        elif action < 0.7 or not pending:
            peer = (rank + rng.randint(0 if rng.random() < 0.4 else 1, ranks - 1)) % ranks
            size = rng.choice([0, 1, 4, EAGER_LIMIT, EAGER_LIMIT + 1, 16])
            tag = len(program.operations) if unique else rng.randint(0, 1)
            send = add(Operation(rank, SEND, size, peer, tag))
            pending.append(send)
            if size <= EAGER_LIMIT:
                ended[rank].append(send)
        else:
            receive(rng.randrange(len(pending)) if unique else 0)
    while pending:
        receive(rng.randrange(len(pending)) if unique else 0)
    return program


def _depend(
    rng: Random, operation: Operation, ended: list[int], started: list[int], chain: float
) -> None:
    if ended and rng.random() < chain:
        operation.requires.append(ended[-1])
    for candidates, chosen in ((ended, operation.requires), (started, operation.irequires)):
        if candidates and rng.random() < 0.3:
            pick = rng.choice(candidates)
            if pick not in operation.requires:
                chosen.append(pick)


def random_parameters(rng: Random) -> Parameters:
    """Whole and dyadic numbers, so that doubles are exact."""
    return Parameters(
        L=float(rng.choice([0, 1, 2, 5, 10])),
        o=float(rng.choice([0, 0, 1, 3])),
        G=rng.choice([0.0, 0.125, 0.5, 2.0]),
        S=EAGER_LIMIT,
        rendezvous=rng.choice(["handshake", "put", "get", "llamp", "sync"]),
        S_isend=rng.choice([None, EAGER_LIMIT + 4]),
    )


def random_cluster(rng: Random, ranks: int) -> Parameters:
    """Draws parameters with ranks placed on nodes, 1 to 4 link classes, and messages that delay
    each other. Class 0 is the fastest, so that no class is free at θ = 0.
    """
    costs = random_parameters(rng)
    nodes, count = rng.randint(1, ranks), rng.randint(1, 4)
    classes = [("near", costs.L, costs.G)]
    for i in range(1, count):
        slower = costs.L + rng.choice([0, 1, 3, 8]), costs.G + rng.choice([0.0, 0.25, 1.0])
        classes.append((f"class {i}", *slower))
    gap = rng.choice(["none", "send", "both", "both"])
    g = 0.0 if gap == "none" else rng.choice([0.0, 0.0, 1.0, 4.0])
    return replace(
        costs,
        o_of_class=_drawn(rng, count, costs.o, costs.o + 1, costs.o + 4),
        O_of_class=_drawn(rng, count, 0.0, 0.25),
        g_of_class=_drawn(rng, count, g, *(() if gap == "none" else (g + 2, g + 6))),
        g=g,
        O=rng.choice([0.0, 0.0, 0.125, 1.0]),
        gap=gap,
        classes=tuple(classes),
        node_of_rank=tuple(rng.randrange(nodes) for _ in range(ranks)),
        class_of=tuple(tuple(rng.randrange(count) for _ in range(nodes)) for _ in range(nodes)),
    )


def _drawn(rng: Random, count: int, *choices: float) -> tuple[float | None, ...]:
    """Draws a value for each class except the first, or none at all."""
    if rng.random() < 0.5:
        return ()
    return (None, *(rng.choice((None, *choices)) for _ in range(count - 1)))


def random_direction(rng: Random, costs: Parameters) -> list[tuple[float, float]]:
    """A parameter of each class as a function of θ: (h + 1) wires, a fixed part, or not at all."""
    return [(rng.choice([0.0, 1.0, 2.5]), rng.choice([0.0, 1.0, 2.0, 6.0])) for _ in costs.links]


def racing_program(rng: Random) -> Program:
    """Stages of independent ping-pongs, each with less computation the more messages it has:
    T(θ) has many breakpoints."""
    program = Program(rng.randint(2, 4), [], unique_tags=True)

    def add(operation: Operation) -> int:
        program.operations.append(operation)
        return len(program.operations) - 1

    def race(since: int, messages: int, work: int) -> int:
        last = add(Operation(0, CALC, work, requires=[since]))
        peer, size = rng.randint(1, program.ranks - 1), rng.choice([1, 2, 5, EAGER_LIMIT + 1])
        for hop in range(messages):
            here, there = (0, peer) if hop % 2 == 0 else (peer, 0)
            tag = len(program.operations)
            send = add(Operation(here, SEND, size, there, tag, tag + 1, requires=[last]))
            last = add(Operation(there, RECV, size, here, tag, send))
        return last

    join = add(Operation(0, CALC, 0))
    for _ in range(rng.randint(1, 4)):
        step = rng.randint(5, 120)
        ends, work = [], 1000
        for racer in range(rng.randint(2, 6)):
            ends.append(race(join, 2 * racer, work))
            work -= rng.randint(0, step)
            step += rng.randint(0, 60)
        join = add(Operation(0, CALC, rng.randint(0, 9), requires=ends))
    return program
