"""Differences between two runs of a program. Times are ns."""

import math
from typing import Annotated, ClassVar

from msgspec import Meta

from latitude.files.provenance import Made
from latitude.notices.notice import Notice
from latitude.results.declared import (
    Amount,
    AmountColumn,
    Columns,
    Count,
    IntegerColumn,
    Nanoseconds,
    Part,
    Unbounded,
)
from latitude.results.over_runs import Spread
from latitude.results.reported import Reported
from latitude.sections.waits.result import ACTIVITIES, CAUSES
from latitude.units.columns import CODE, TIME, Form, column
from latitude.units.quantities import format_time, signed

LEAST_NS = 0.5
"""Least change, ns; smaller changes are rounding."""


def change(ns: float) -> str:
    """A change of time as text: +1.2 µs, −30 ns, same."""
    return "same" if abs(ns) < LEAST_NS else signed(ns, 3)


def limit(ns: float) -> str:
    """A tolerated latency as text."""
    return "any" if math.isinf(ns) else format_time(ns)


_CHANGE = Form(change, "ns", style="strong")
_PLAIN_CHANGE = Form(change, "ns")
_LIMIT = Form(limit, "ns")
_What = Annotated[str, Meta(extra_json_schema={"enum": [*ACTIVITIES, *CAUSES]})]


class DiffRun(Part, frozen=True, kw_only=True):
    """One of the two runs on its network."""

    input: str
    input_sha256: str
    program: str | None
    """The program with its arguments, if the input records the command line."""
    ranks: Count
    L_ns: Nanoseconds
    T_ns: Nanoseconds
    lambda_L: Amount
    rho_L: Amount


class ToleranceChange(Part, frozen=True, kw_only=True):
    """The extra latency with which each run is slower by this share; null means unlimited."""

    degradation: Amount
    a_ns: Annotated[Unbounded, column("A", _LIMIT)]
    b_ns: Annotated[Unbounded, column("B", _LIMIT)]


class PartChange(Part, frozen=True, kw_only=True):
    """An activity, or waits of one cause: time per rank."""

    what: _What
    a_ns: Annotated[Nanoseconds, column("A", TIME)]
    b_ns: Annotated[Nanoseconds, column("B", TIME)]

    @property
    def name(self) -> Annotated[str, column("per rank")]:
        """Name of the part in words."""
        return (ACTIVITIES | CAUSES)[self.what]

    @property
    def change_ns(self) -> Annotated[float, column("change", _CHANGE)]:
        """Excess of this part in B over A."""
        return self.b_ns - self.a_ns


class PlaceChange(Part, frozen=True, kw_only=True):
    """A source line that calls MPI, or a call if lines are not known."""

    where: str | None
    """Line in B, or in A if B lacks this line. Null if lines are not known."""
    where_a: str | None
    """Line in A, if it moved."""
    call: str | None
    """Name of the MPI call; null for time that belongs to no call."""
    only_in: Annotated[str | None, Meta(extra_json_schema={"enum": ["a", "b", None]})]
    """The run that has this place, if the other run lacks the place."""
    computation_a_ns: Nanoseconds
    """Computation just before the place, per rank."""
    computation_b_ns: Nanoseconds
    overhead_a_ns: Nanoseconds
    overhead_b_ns: Nanoseconds
    transfer_a_ns: Nanoseconds
    transfer_b_ns: Nanoseconds
    wait_a_ns: Nanoseconds
    wait_b_ns: Nanoseconds
    path_a_ns: Annotated[Nanoseconds, column("A", TIME)]
    """Time on the critical path at the place and, if lines are known, just before the place."""
    path_b_ns: Annotated[Nanoseconds, column("B", TIME)]
    lambda_a: Amount
    """Number of latencies on the critical path."""
    lambda_b: Amount
    calls: Count
    """Number of calls that were compared one by one: call k of a rank in A with call k in B. 0 if
    the numbers of calls differ, or an input is an analysis.json instead of a trace."""
    slower: Count
    """Number of calls that, with the computation before, take longer in B."""
    median_change_ns: float

    @property
    def a_ns(self) -> Annotated[float, column("A", TIME)]:
        """All time of a rank at the place in A."""
        return self.computation_a_ns + self.overhead_a_ns + self.transfer_a_ns + self.wait_a_ns

    @property
    def b_ns(self) -> Annotated[float, column("B", TIME)]:
        """All time of a rank at the place in B."""
        return self.computation_b_ns + self.overhead_b_ns + self.transfer_b_ns + self.wait_b_ns

    @property
    def change_ns(self) -> Annotated[float, column("change", _CHANGE)]:
        """Extra time of a rank at the place in B."""
        return self.b_ns - self.a_ns

    @property
    def path_change_ns(self) -> Annotated[float, column("change", _CHANGE)]:
        """Time on the critical path at this place: B less A."""
        return self.path_b_ns - self.path_a_ns


class ChangedFunction(Part, frozen=True, kw_only=True):
    """A function whose computation changed beyond the usual difference between two runs."""

    name: str
    """Name of the function, or else the source line or the MPI call."""
    runs_a: Spread
    """Computation of all ranks just before the function's MPI calls, in the runs of A, ns."""
    runs_b: Spread
    moved: bool
    """Whether the computation moved to or from other functions: their sum hardly changed."""


class BeyondSpread(Part, frozen=True, kw_only=True):
    """Changes beyond the spread of runs."""

    enough: bool
    """Whether both sides have enough runs to know the difference between two runs of one program.
    """
    margin: Amount
    """Least share that counts as a change."""
    runs_a: Spread
    """T of the runs of A, ns."""
    runs_b: Spread
    changed: bool
    """Whether T changed beyond the spread of runs."""
    computation_ns: float
    """Computation of all ranks together, by the medians of the runs: B less A."""
    functions: list[ChangedFunction]
    """Changed functions, the largest change first."""


class CallChange(Part, frozen=True, kw_only=True):
    """One call with a large change."""

    rank: Annotated[Count, column("rank", Form(lambda rank: f"rank {rank}"))]
    where: str | None
    call: str
    number: Annotated[int, Meta(ge=1), column("call no.", Form(lambda number: f"no. {number:,}"))]
    """Number of the call among its rank's calls at this place."""
    before_a_ns: Nanoseconds
    before_b_ns: Nanoseconds
    within_a_ns: Nanoseconds
    within_b_ns: Nanoseconds

    @property
    def before_change_ns(self) -> Annotated[float, column("computation before", _PLAIN_CHANGE)]:
        """Extra duration of the computation before the call in B."""
        return self.before_b_ns - self.before_a_ns

    @property
    def within_change_ns(self) -> Annotated[float, column("in it", _PLAIN_CHANGE)]:
        """Extra duration of the call itself in B."""
        return self.within_b_ns - self.within_a_ns

    @property
    def change_ns(self) -> Annotated[float, column("change", _CHANGE)]:
        """Extra duration of the call and the computation before it in B."""
        return self.before_b_ns + self.within_b_ns - self.before_a_ns - self.within_a_ns

    @property
    def place(self) -> Annotated[str, column("call", CODE)]:
        """Source line of the call, or its name."""
        return self.where or self.call


class RankChanges(Columns, frozen=True, kw_only=True):
    """Changes by rank, if both runs have equally many ranks."""

    rank: IntegerColumn
    computation_a_ns: AmountColumn
    computation_b_ns: AmountColumn
    overhead_a_ns: AmountColumn
    overhead_b_ns: AmountColumn
    transfer_a_ns: AmountColumn
    transfer_b_ns: AmountColumn
    wait_a_ns: AmountColumn
    wait_b_ns: AmountColumn
    path_a_ns: AmountColumn
    """Time of the critical path on the rank."""
    path_b_ns: AmountColumn


class Difference(Reported, frozen=True, kw_only=True):
    """Result of `latitude diff`: B compared with A.

    Times are ns; those by place and by part are per rank. null means infinite or absent.
    """

    SCHEMA: ClassVar[str] = "latitude.difference/1"
    DOCUMENT: ClassVar[str] = "latitude.render.documents.difference:difference_document"

    made: Made
    a: DiffRun
    b: DiffRun
    judged: BeyondSpread
    tolerance: list[ToleranceChange]
    """Tolerances at the limits that both runs have, if both vary L."""
    by_part: list[PartChange]
    by_place: list[PlaceChange]
    """Changes by place, the largest first."""
    by_rank: RankChanges
    largest: list[CallChange]
    """Single calls with the largest changes, the largest first; at most 20."""
    warnings: list[Notice]

    @property
    def change_ns(self) -> float:
        """Change of T."""
        return self.b.T_ns - self.a.T_ns
