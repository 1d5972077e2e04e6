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
"""Changes that are smaller are rounding."""


def change(ns: float) -> str:
    """A change of time for people: +1.2 µs, −30 ns, same."""
    return "same" if abs(ns) < LEAST_NS else signed(ns, 3)


def limit(ns: float) -> str:
    """A tolerated latency for people."""
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
    """The program with its arguments, if the input records them."""
    ranks: Count
    L_ns: Nanoseconds
    T_ns: Nanoseconds
    lambda_L: Amount
    rho_L: Amount


class ToleranceChange(Part, frozen=True, kw_only=True):
    """The extra latency that makes each run so much slower; null is without end."""

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
        """Its name, in words."""
        return (ACTIVITIES | CAUSES)[self.what]

    @property
    def change_ns(self) -> Annotated[float, column("change", _CHANGE)]:
        """How much more of it there is in B."""
        return self.b_ns - self.a_ns


class PlaceChange(Part, frozen=True, kw_only=True):
    """A line of the program that calls MPI, or a call where lines are not known."""

    where: str | None
    """In B; in A where B has none. Null where lines are not known."""
    where_a: str | None
    """In A, where the line moved."""
    call: str | None
    """Null: what belongs to no call."""
    only_in: Annotated[str | None, Meta(extra_json_schema={"enum": ["a", "b", None]})]
    """Where one run only has it."""
    computation_a_ns: Nanoseconds
    """Computation just before it, per rank."""
    computation_b_ns: Nanoseconds
    overhead_a_ns: Nanoseconds
    overhead_b_ns: Nanoseconds
    transfer_a_ns: Nanoseconds
    transfer_b_ns: Nanoseconds
    wait_a_ns: Nanoseconds
    wait_b_ns: Nanoseconds
    path_a_ns: Annotated[Nanoseconds, column("A", TIME)]
    """On the critical path: at it and (where lines are known) just before it."""
    path_b_ns: Annotated[Nanoseconds, column("B", TIME)]
    lambda_a: Amount
    """Latencies on the critical path."""
    lambda_b: Amount
    calls: Count
    """Calls that were held against each other one by one: the k-th of a rank in A and in B. None
    where the numbers of calls differ, or an input is a result."""
    slower: Count
    """Those of the calls that take longer in B, with the computation before."""
    median_change_ns: float

    @property
    def a_ns(self) -> Annotated[float, column("A", TIME)]:
        """All of a rank's time there in A."""
        return self.computation_a_ns + self.overhead_a_ns + self.transfer_a_ns + self.wait_a_ns

    @property
    def b_ns(self) -> Annotated[float, column("B", TIME)]:
        """The same in B."""
        return self.computation_b_ns + self.overhead_b_ns + self.transfer_b_ns + self.wait_b_ns

    @property
    def change_ns(self) -> Annotated[float, column("change", _CHANGE)]:
        """How much more a rank takes there in B."""
        return self.b_ns - self.a_ns

    @property
    def path_change_ns(self) -> Annotated[float, column("change", _CHANGE)]:
        """How much more of it is on the critical path in B."""
        return self.path_b_ns - self.path_a_ns


class ChangedFunction(Part, frozen=True, kw_only=True):
    """A function whose computation changed by more than two runs of one program differ."""

    name: str
    """The MPI call where functions are not known."""
    runs_a: Spread
    """Computation of all ranks just before its calls of MPI, in the runs of A; ns."""
    runs_b: Spread
    moved: bool
    """Whether it went to or came from other functions: all together hardly changed."""


class BeyondSpread(Part, frozen=True, kw_only=True):
    """Changes beyond the spread of runs."""

    enough: bool
    """Whether both sides have runs enough to know how much two runs of one program differ."""
    margin: Amount
    """Smaller shares are no change."""
    runs_a: Spread
    """T of the runs of A, ns."""
    runs_b: Spread
    changed: bool
    """Whether T changed beyond the spread of runs."""
    computation_ns: float
    """How much more all ranks together compute in B than in A, by the medians of their runs."""
    functions: list[ChangedFunction]
    """The largest change first."""


class CallChange(Part, frozen=True, kw_only=True):
    """One call that changed much."""

    rank: Annotated[Count, column("rank", Form(lambda rank: f"rank {rank}"))]
    where: str | None
    call: str
    number: Annotated[int, Meta(ge=1), column("call no.", Form(lambda number: f"no. {number:,}"))]
    """The so-many-th of its rank there."""
    before_a_ns: Nanoseconds
    before_b_ns: Nanoseconds
    within_a_ns: Nanoseconds
    within_b_ns: Nanoseconds

    @property
    def before_change_ns(self) -> Annotated[float, column("computation before", _PLAIN_CHANGE)]:
        """How much longer the computation before it takes in B."""
        return self.before_b_ns - self.before_a_ns

    @property
    def within_change_ns(self) -> Annotated[float, column("in it", _PLAIN_CHANGE)]:
        """How much longer the call itself takes in B."""
        return self.within_b_ns - self.within_a_ns

    @property
    def change_ns(self) -> Annotated[float, column("change", _CHANGE)]:
        """How much longer call and computation before it take in B."""
        return self.before_b_ns + self.within_b_ns - self.before_a_ns - self.within_a_ns

    @property
    def place(self) -> Annotated[str, column("call", CODE)]:
        """Its line, or what it is."""
        return self.where or self.call


class RankChanges(Columns, frozen=True, kw_only=True):
    """By rank, where both runs have as many."""

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
    """Result of `latitude diff`: B held against A.

    Times are ns, those by place and by part per rank. null stands for infinite or for none.
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
    """The largest change first."""
    by_rank: RankChanges
    largest: list[CallChange]
    """Single calls that changed most, the largest first; 20 at most."""
    warnings: list[Notice]

    @property
    def change_ns(self) -> float:
        """Change of T."""
        return self.b.T_ns - self.a.T_ns
