"""Local search over placements: sensitivities propose, the engine decides.

T is convex in the prices of the messages, and the shares of a critical path are a subgradient. So a
swap that does not lower the cost of that path's traffic cannot lower T. The search judges only
other swaps; if none of these helps, no swap of two ranks lowers T.

This does not hold if link rules have eager limits of their own, so that a message's protocol
depends on the placement. Then the search judges all swaps, beginning with the swaps that lower the
cost most.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Floats, Nodes
from latitude.analysis.place.machine import Machine
from latitude.analysis.place.traffic import Traffic, sensitivity, volume

_NEAR = (0.003, 0.03)
"""Shares of T within which a path counts as near-critical. The critical path alone would ignore
paths that become critical as soon as it is shortened."""
_BATCH = 32
"""Number of placements that the engine judges at once: a few sweeps of its eight lanes."""
_MOST_SWAPS = 32 * _BATCH
"""Number of swaps that the search judges at one placement before it accepts the placement."""
_LEAST_GAIN = 1e-12
"""Least gain, as a share of T; a smaller gain is rounding."""

Told = Callable[[float, int], None]


@dataclass(frozen=True, slots=True)
class Effort:
    """The limits of a search."""

    seconds: float = 30.0
    kicks: int = 40
    """The search ends after this number of descents in succession without gain. Each descent begins
    at the best placement with random swaps."""


@dataclass(frozen=True, slots=True)
class FoundPlacement:
    """The best placement that the search has found."""

    placement: Nodes
    start: str
    """The start from which the search found this placement."""
    evaluations: int
    """Number of placements that the engine judged."""
    finished: bool
    """Whether the search completed; False after the end of the time, or an interrupt by the user.
    """


class _OutOfTimeError(Exception):
    pass


class PlacementSearch:
    """Looks for the placement with the least T."""

    def __init__(self, graph: _core.Graph, machine: Machine, seed: int = 0) -> None:
        self._machine = machine
        self._dag = _core.Placements(graph, machine.core)
        self._ranks = graph.ranks
        # Free cores take part as ranks without messages.
        free = machine.nodes * machine.cores - self._ranks
        self._slots = self._ranks + min(free, 2 * self._ranks)
        # Otherwise each placement may need a compilation, so the search checks the time before
        # each.
        self._batch = _BATCH if self._dag.one_protocol else 1
        self._volume = volume(graph, self._slots)
        self._random = random.Random(seed)  # noqa: S311 - not for secrets
        self._evaluations = 0
        self._best, self._least, self._start = np.zeros(0, np.uint32), np.inf, ""
        self._deadline = np.inf
        self._told: Told = lambda _T, _evaluations: None

    def run(
        self, effort: Effort, given: dict[str, Nodes], told: Told | None = None
    ) -> FoundPlacement:
        """Searches until it completes, time runs out, or the user interrupts; returns the best.

        Args:
            effort: limits of the search.
            given: name → additional placement to start from; never empty. The search judges them
                before time counts, so no result is worse.
            told: function that is called with the least T and the number of placements judged so
                far.
        """
        self._told = told or self._told
        for name, placement in given.items():
            self._judge(self._with_spare(placement)[None, :], name)
        self._deadline = monotonic() + effort.seconds
        finished = False
        try:
            for name, placement in self._starts(given):
                self._descend(placement, name)
            self._shake(effort.kicks)
            finished = True
        except (_OutOfTimeError, KeyboardInterrupt):
            pass
        return FoundPlacement(self._best[: self._ranks], self._start, self._evaluations, finished)

    def _starts(self, given: dict[str, Nodes]) -> Iterator[tuple[str, Nodes]]:
        """Placements to start from, the most promising first; free cores follow the ranks."""
        grouping = grouped(self._volume, self._machine)
        yield "volume", improved(self._volume, self._machine, grouping)
        traffic = self._traffic(self._best, _NEAR[-1])
        yield "sensitivity", improved(traffic, self._machine, grouped(traffic, self._machine))
        for name, placement in given.items():
            yield name, self._with_spare(placement)

    def _with_spare(self, placement: Nodes) -> Nodes:
        """The placement followed by the nodes of the free cores, dealt out one per node in turn."""
        used = np.bincount(placement, minlength=self._machine.nodes)
        free = self._machine.cores - used
        turn = np.concatenate([np.arange(k) for k in free] or [np.zeros(0)])
        node = np.repeat(np.arange(self._machine.nodes), free)
        spare = node[np.argsort(turn, kind="stable")][: self._slots - self._ranks]
        return np.concatenate([placement, spare]).astype(np.uint32)

    def _traffic(self, placement: Nodes, near: float) -> Traffic:
        return sensitivity(self._dag, placement, self._slots, near * self._least)

    def _judge(self, placements: NDArray[np.uint32], start: str) -> Floats:
        """T of each placement; keeps the best placement so far."""
        if monotonic() > self._deadline:
            raise _OutOfTimeError
        runtimes = self._dag.runtimes(np.ascontiguousarray(placements[:, : self._ranks]))
        self._evaluations += len(placements)
        least = int(np.argmin(runtimes))
        if not self._best.size or runtimes[least] < self._least * (1 - _LEAST_GAIN):
            self._best, self._least = placements[least].copy(), float(runtimes[least])
            self._start = start
        self._told(self._least, self._evaluations)
        return runtimes

    def _descend(self, placement: Nodes, start: str) -> float:
        """Swaps two ranks while the engine confirms a gain; returns the last T."""
        runtime = float(self._judge(placement[None, :], start)[0])
        if runtime == np.inf:  # operations wait in a cycle: no path exists
            return runtime
        while True:
            for candidates in self._proposals(placement):
                runtimes = self._judge(candidates, start)
                least = int(np.argmin(runtimes))
                if runtimes[least] < runtime * (1 - _LEAST_GAIN):
                    placement, runtime = candidates[least], float(runtimes[least])
                    break
            else:
                return runtime

    def _proposals(self, placement: Nodes) -> Iterator[NDArray[np.uint32]]:
        """Batches of placements near this one, the most promising first."""
        for near in _NEAR:
            traffic = self._traffic(placement, near)
            whole = improved(traffic, self._machine, placement)
            swapped = self._swapped(placement, traffic, self._batch)
            yield np.concatenate([whole[None, :], *swapped])
        yield from self._swapped(placement, self._traffic(placement, 0.0), _MOST_SWAPS)

    def _swapped(
        self, placement: Nodes, traffic: Traffic, most: int
    ) -> Iterator[NDArray[np.uint32]]:
        """The placement with two ranks swapped, in batches, for each swap that may lower T."""
        change = np.triu(traffic.swaps(self._machine, placement))
        if self._dag.one_protocol:
            first, second = np.nonzero(change < -_LEAST_GAIN * self._least)
        else:
            first, second = np.nonzero(np.triu(placement[:, None] != placement[None, :]))
        order = np.argsort(change[first, second], kind="stable")[:most]
        first, second = first[order], second[order]
        for begin in range(0, order.size, self._batch):
            a, b = first[begin : begin + self._batch], second[begin : begin + self._batch]
            batch = np.tile(placement, (a.size, 1))
            row = np.arange(a.size)
            batch[row, a], batch[row, b] = placement[b], placement[a]
            yield batch

    def _shake(self, kicks: int) -> None:
        """Descends again from the best placement with a few ranks swapped at random."""
        if self._machine.nodes == 1:
            return
        left = kicks
        while left > 0:
            least = self._least
            shaken = self._best.copy()
            for _ in range(self._random.randint(2, 2 + self._slots // 8)):
                a, b = self._random.randrange(self._slots), self._random.randrange(self._slots)
                shaken[[a, b]] = shaken[[b, a]]
            self._descend(shaken, "shaken")
            left = kicks if self._least < least else left - 1


def grouped(traffic: Traffic, machine: Machine) -> Nodes:
    """Fills one node after the other with the ranks that exchange most with the node's ranks.

    The weight of a pair is the cost that it saves if both ranks share a node.
    """
    weight = _saved(traffic, machine)
    slots = weight.shape[0]
    free = np.ones(slots, bool)
    placement = np.zeros(slots, np.uint32)
    per_node = np.full(machine.nodes, slots // machine.nodes)
    per_node[: slots % machine.nodes] += 1
    for node, size in enumerate(per_node):
        attraction = np.zeros(slots)
        for _ in range(size):
            outside = weight[:, free].sum(axis=1)
            best = np.lexsort((outside, attraction, free))[-1]
            free[best] = False
            placement[best] = node
            attraction += weight[best]
    return placement


def _saved(traffic: Traffic, machine: Machine) -> Floats:
    off = ~np.eye(machine.nodes, dtype=bool)
    saved = np.zeros_like(traffic.latencies)
    for weight, price in ((traffic.latencies, machine.latency), (traffic.bytes, machine.gap)):
        if machine.nodes > 1:
            saved += weight * (price[off].mean() - np.diag(price).mean())
    return saved


def improved(traffic: Traffic, machine: Machine, placement: Nodes) -> Nodes:
    """Swaps two ranks while that lowers the cost of traffic, the best swap first."""
    placement = placement.copy()
    for _ in range(4 * placement.size):
        change = traffic.swaps(machine, placement)
        a, b = np.unravel_index(np.argmin(change), change.shape)
        if change[a, b] >= -1e-9 * max(1.0, float(np.abs(change).max())):
            break
        placement[[a, b]] = placement[[b, a]]
    return placement
