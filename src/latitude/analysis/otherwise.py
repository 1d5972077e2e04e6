"""What-if questions: computation balanced over ranks, or scaled at a place."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Booleans, Floats, Integers
from latitude.analysis.answer import sensitivity_of, tolerances_of
from latitude.analysis.context import GraphContext
from latitude.results.answer import WhatIf
from latitude.sections.efficiency.result import share_of
from latitude.trace.jobs.job import RecordedJob
from latitude.units.quantities import parse_number

BALANCED = "balanced"
_RESOURCES = ("gpu", "cpu")
"""Names for all computation on a job's GPUs, and for all work of its CPUs."""
_MOST_FACTOR = 1e6


@dataclass(frozen=True, slots=True)
class Otherwise:
    """A change of the computation outside MPI."""

    text: str
    place: str | None
    """The changed computation: a function, line or kind of MPI call means the computation before
    it; for a job, `gpu`, `cpu` or a part of the program. None stands for `balanced`."""
    factor: float = 1.0

    @classmethod
    def parse(cls, text: str) -> "Otherwise":
        """`balanced`, `solve=0.5`, `comm.c:88=0`, `MPI_Allreduce=2`."""
        if text.strip() == BALANCED:
            return cls(BALANCED, None)
        place, equals, factor = text.rpartition("=")
        if not equals or not place.strip():
            raise InputError(
                f"what-if: '{text}' is not a change of computation; write {BALANCED}, or a "
                "function, "
                "line or call with a factor, e.g. solve=0.5"
            )
        number = parse_number(factor, "a factor", 0, _MOST_FACTOR)
        return cls(text.strip(), place.strip(), number)

    def factors(self, context: GraphContext) -> Floats:
        """(vertices,) factors on the durations of vertices.

        InputError: the place does not exist.
        """
        graph, job = context.model.graph, context.program.job
        if job is not None:
            return self._of_job(job, graph)
        computes = (graph.kind == _core.Kind.calc) & (graph.origin == _core.NO_ORIGIN)
        if self.place is None:
            return _balanced(graph, computes)
        chosen = self._calls(context)
        following = _following_call(graph)
        before = computes & (following >= 0) & chosen[following]
        return np.where(before, self.factor, 1.0)

    def _of_job(self, job: RecordedJob, graph: _core.Graph) -> Floats:
        """(vertices,) factors for a job: on its GPUs, its CPUs, or a part of its program."""
        if self.place is None:
            computes = np.zeros(graph.vertices, bool)
            computes[job.streams if job.streams.size else job.cpu] = True
            return _balanced(graph, computes & (graph.kind == _core.Kind.calc))
        if self.place in _RESOURCES:
            chosen = job.streams if self.place == _RESOURCES[0] else job.cpu
        elif self.place in job.modules:
            part = job.modules.index(self.place)
            chosen = job.module[job.module[:, 1] == part, 0]
            chosen = np.intersect1d(chosen, np.concatenate([job.streams, job.cpu]))
        else:
            some = ", ".join([*_RESOURCES, *job.modules[1:6]])
            raise InputError(f"what-if: nothing here is called '{self.place}'; there is {some}")
        factors = np.ones(graph.vertices)
        factors[chosen] = self.factor
        return factors

    def _calls(self, context: GraphContext) -> Booleans:
        """(calls,) whether each call is at the place."""
        graph = context.model.graph
        names = [*graph.call_name]
        if self.place in names:
            return np.equal(graph.call_code, names.index(self.place))
        places, rows = context.places
        functions = [place.frame.function for place in places.shown]
        named = zip(places.names, functions, strict=True)
        of_place = [self.place in (where, function) for where, function in named]
        if not any(of_place):
            known = dict.fromkeys(
                function or where for where, function in zip(places.names, functions, strict=True)
            )
            some = ", ".join([*known][:5]) or "MPI_Allreduce (this input has no call sites)"
            raise InputError(f"what-if: nothing here is called '{self.place}'; there is {some}")
        return np.append(of_place, False)[rows.of_call[:-1]]


def _balanced(graph: _core.Graph, computes: Booleans) -> Floats:
    """Factors that give every computing rank the mean time of these ranks."""
    offsets = graph.rank_begin.astype(np.int64)
    begin, end = offsets[:-1], offsets[1:]
    upto = np.concatenate([[0], np.cumsum(np.where(computes, graph.value, 0))])
    total = (upto[end] - upto[begin]).astype(np.float64)
    mean = total[total > 0].mean() if (total > 0).any() else 0.0
    factor = np.divide(mean, total, out=np.ones(total.size), where=total > 0)
    return np.where(computes, factor[_ranks(graph)], 1.0)


def _ranks(graph: _core.Graph) -> Integers:
    """(vertices,) the rank of each vertex."""
    offsets = graph.rank_begin.astype(np.int64)
    return np.repeat(np.arange(graph.ranks), offsets[1:] - offsets[:-1])


def _following_call(graph: _core.Graph) -> Integers:
    """(vertices,) the next call of the vertex's thread, −1 for none."""
    count = graph.kind.size
    rank = _ranks(graph)
    completed, entered = graph.completed_in, graph.origin
    if completed.size:
        entered = np.where(completed == _core.NO_ORIGIN, entered, completed)
    result = np.full(count, -1, dtype=np.int64)
    for line in np.unique(graph.line):
        own = np.flatnonzero(graph.line == line)
        called = graph.origin[own] != _core.NO_ORIGIN
        at = np.where(called, np.arange(own.size), own.size)
        following = np.minimum.accumulate(at[::-1])[::-1]
        some = following < own.size
        vertex, call = own[some], own[following[some]]
        same = rank[vertex] == rank[call]
        result[vertex[same]] = entered[call[same]]
    return result


def were(context: GraphContext, otherwise: Otherwise, degradations: Sequence[float]) -> WhatIf:
    """Answers for the program with changed computation: the same graph with other durations."""
    model, theta = context.model, context.theta
    factor = otherwise.factors(context)
    changed = _core.Model(model.graph.scaled(factor), model.network)
    dag = theta.along(changed)
    found = sensitivity_of(dag, theta)
    runtime = dag.runtime_at(theta.base)
    work = changed.work().useful_ns * model.network.compute_scale
    return WhatIf(
        computation=otherwise.text,
        scaled_ns=float(model.graph.value[factor != 1].sum()),
        T_ns=runtime,
        slope=found.slope,
        share=found.share,
        parallel=share_of(float(work.mean()), runtime),
        tolerance=tolerances_of(dag, theta, runtime, degradations, ()),
    )
