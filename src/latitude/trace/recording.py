"""A program's run as read from its files, from which execution graphs are built."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latitude import _core
from latitude._core import InputError
from latitude.files.progress import Progress, Silent
from latitude.files.provenance import Digest, Provenance, provenance
from latitude.notices import kinds
from latitude.notices.kinds import from_core
from latitude.notices.notice import Notice
from latitude.trace.collectives import in_words
from latitude.trace.costs import RecordedCosts
from latitude.trace.jobs.job import RecordedJob
from latitude.trace.lacking import lacking, refusal
from latitude.trace.program import Program, RecordedRun, TraceInfo
from latitude.trace.recorded_run import recorded_program
from latitude.trace.wrappers import Wrappers
from latitude.units.arguments import finite, flag, texts_of, whole

CPU_ORDERS = ("baseline", "file", "none")
"""Orders of independent operations on a GOAL file's CPU, the default first."""


WILDCARDS_BY_ARRIVAL = "wildcards=arrival"
ASSUMPTIONS = (WILDCARDS_BY_ARRIVAL,)
"""Possible assumptions for facts that a trace lacks."""


def check_arguments(
    collectives: object,
    reduce_ns_per_byte: object,
    skip_unsupported: object,
    traced_times: object,
    async_progress: object,
    threads: object,
    cpu_order: object,
    assume: object,
) -> None:
    """Raises InputError if `Recording.program` would reject one of the arguments for any input."""
    _core.describe_collectives(list(texts_of(collectives, "collectives", '["allreduce=ring"]')))
    finite(reduce_ns_per_byte, "reduce_ns_per_byte")
    flag(skip_unsupported, "skip_unsupported")
    flag(traced_times, "traced_times")
    flag(async_progress, "async_progress")
    whole(threads, "threads")
    check_assumptions(assume)
    if cpu_order not in CPU_ORDERS:
        raise InputError(f"cpu_order: {cpu_order!r} is unknown; use {', '.join(CPU_ORDERS)}")


def check_assumptions(assume: object) -> None:
    """Raises InputError if one of the assumptions is unknown."""
    unknown = set(texts_of(assume, "assume", f'["{WILDCARDS_BY_ARRIVAL}"]')) - set(ASSUMPTIONS)
    if unknown:
        raise InputError(
            f"assume: {min(unknown)!r} is unknown; possible assumptions are "
            f"{', '.join(ASSUMPTIONS)}"
        )


@dataclass(frozen=True, slots=True)
class Recording:
    """The result of `latitude.read`.

    A recording is a trace, a GOAL file or a job. A trace's collectives become point-to-point
    messages by chosen algorithms. A GOAL file has only messages. A job's collectives have recorded
    costs.
    """

    path: Path
    digest: Digest
    info: TraceInfo
    trace: _core.Trace | None = None
    """The trace; None for a GOAL file or a job."""
    run: RecordedRun | None = None
    """The recorded run; None for a GOAL file or a job."""
    graph: _core.Graph | None = None
    """The graph of a GOAL file or a job."""
    job: RecordedJob | None = None
    """The job of the graph, if there is one."""
    warnings: tuple[Notice, ...] = ()
    """Warnings about the job."""
    unheard: tuple[str, ...] = ()
    """Options for reading traces that were given although the input is not a trace."""

    @property
    def ranks(self) -> int:
        """Number of MPI processes."""
        return self.info.ranks

    def provenance(self) -> Provenance:
        """Provenance of a result that is computed now from this recording."""
        return provenance(self.path, self.digest, recorded_program(self.path))

    def program(
        self,
        collectives: Sequence[str] = (),
        *,
        reduce_ns_per_byte: float = 0.0,
        skip_unsupported: bool = False,
        traced_times: bool = False,
        async_progress: bool = False,
        through: Sequence[str] = (),
        threads: int = 0,
        consume: bool = False,
        cpu_order: str = CPU_ORDERS[0],
        assume: Sequence[str] = (),
        costs: RecordedCosts | None = None,
        progress: Progress | None = None,
    ) -> Program:
        """The execution graph; options as in `latitude.load`.

        Args:
            collectives: algorithms, e.g. `["allreduce=ring"]` or `["openmpi"]`.
            reduce_ns_per_byte: cost γ of a reduction, ns per byte.
            skip_unsupported: warn about calls that cannot be expressed instead of rejecting the
                trace.
            traced_times: keep the end of each computation, for `latitude.replay`; InputError if the
                ranks have no common clock.
            async_progress: as in `latitude.load`.
            through: source files and libraries that wrap MPI, e.g. `["my_mpi.c"]`.
            threads: threads to build with; 0 means one per core.
            consume: free the trace's events during the build, for half the memory; no other graph
                can then be built from this recording.
            cpu_order: for a GOAL file, as in `latitude.load`.
            assume: as in `latitude.load`.
            costs: costs of calls that replace o (`latitude.recorded_costs`).
            progress: display of the progress.
        """
        check_arguments(
            collectives,
            reduce_ns_per_byte,
            skip_unsupported,
            traced_times,
            async_progress,
            threads,
            cpu_order,
            assume,
        )
        wrappers = Wrappers(texts_of(through, "through", '["my_mpi.c"]'))
        if self.trace is None:
            if traced_times:
                raise InputError(
                    f"{self.path}: {self._kind} holds no run to replay; give an MPI program's trace"
                )
            asked = {
                "--collective": collectives,
                "--reduce-cost": reduce_ns_per_byte,
                "--skip-unsupported": skip_unsupported,
                "--async-progress": async_progress,
                "--through": through,
                "--assume": assume,
            }
            given = [name for name, value in asked.items() if value]
            return self._as_it_is(cpu_order, [*given, *self.unheard])
        (progress or Silent()).stage("Building execution graph")
        try:
            graph = _core.build_graph(
                self.trace,
                collectives=list(collectives),
                reduce_ns_per_byte=reduce_ns_per_byte,
                skip_unsupported=skip_unsupported,
                traced_times=traced_times,
                async_progress=async_progress,
                threads=threads,
                consume=consume,
                leave_open=WILDCARDS_BY_ARRIVAL in assume,
                call_times=None if costs is None else costs.core(),
            )
        except _core.UnsupportedCallsError as error:
            raise refusal(self.path, self.trace, error.tallies, wrappers) from error
        warnings = from_core(self.trace.warnings) + from_core(graph.warnings)
        warnings += lacking(graph, wrappers)
        return Program(
            path=self.path,
            graph=graph,
            trace=self.info,
            digest=self.digest,
            collectives=in_words(collectives, self.info.calls),
            reduce_ns_per_byte=reduce_ns_per_byte,
            async_progress=async_progress,
            warnings=list(dict.fromkeys(warnings)),
            run=self.run,
            through=tuple(through),
            costs=costs,
        )

    def _as_it_is(self, cpu_order: str, asked: Sequence[str]) -> Program:
        """The program of a GOAL file or a job, which the options in `asked` do not change."""
        graph = self.graph
        if graph is None:
            raise ValueError("a recording has a trace or a graph")
        warnings = [*self.warnings, *from_core(graph.warnings)]
        if asked:
            warnings.append(
                kinds.GOAL_AS_IT_IS(
                    f"{self._kind} holds no MPI calls: {', '.join(asked)} changed nothing"
                )
            )
        return Program(
            path=self.path,
            graph=graph,
            trace=self.info,
            digest=self.digest,
            collectives="as the GOAL file has them" if self.job is None else "as recorded",
            reduce_ns_per_byte=0.0,
            warnings=warnings,
            cpu_order=cpu_order if self.job is None else None,
            job=self.job,
        )

    @property
    def _kind(self) -> str:
        return "a GOAL file" if self.job is None else "a job"
