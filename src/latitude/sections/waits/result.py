"""Time of each rank, and causes of waits (docs/explanation/waits.md). Times are ns."""

from typing import Annotated, get_args

import numpy as np
from msgspec import Meta, field

from latitude._types import Floats, Integers
from latitude.results.declared import (
    Amount,
    AmountColumn,
    Columns,
    Count,
    Hidden,
    IntegerColumn,
    Nanoseconds,
    Part,
)
from latitude.results.lines import RankLines, Resource
from latitude.sections.pairs.result import LISTED

CAUSES = {
    "late_sender": "late sender",
    "wrong_order": "late sender, wrong order",
    "late_receiver": "late receiver",
    "early_reduce": "early reduce",
    "early_scan": "early scan",
    "late_broadcast": "late broadcast",
    "n_to_n": "wait at N × N",
    "barrier": "wait at barrier",
    "other_thread": "wait for another thread or CPU",
    "completion": "completion of collectives",
}
"""Causes, in words, of waits for another rank, or for another thread (in a GOAL file: cpu) of the
rank."""

ACTIVITIES = {"computation": "computation", "overhead": "overhead", "transfer": "transfer"}
"""Activities of a rank. Transfer is the time of messages for which both sides are ready."""

_What = Annotated[
    tuple[str, ...], Meta(extra_json_schema={"items": {"enum": [*ACTIVITIES, *CAUSES]}})
]
_Activity = Annotated[tuple[str, ...], Meta(extra_json_schema={"items": {"enum": [*ACTIVITIES]}})]
_Names = tuple[str | None, ...]


class RankTimes(Columns, frozen=True, kw_only=True):
    """Parts of each rank's time, and times for which other ranks waited for the rank.

    If several threads of a rank call MPI, each has a row; so has each of several cpus on which a
    GOAL file's operations run. Activities and waits add up to the rank's end, or to the duration of
    one of several threads or cpus.
    """

    rank: IntegerColumn
    thread: IntegerColumn
    """Number of the thread, from 0; in a GOAL file the cpu."""
    resource: Annotated[
        tuple[Resource, ...], Meta(extra_json_schema={"items": {"enum": list(get_args(Resource))}})
    ]
    """Kind of the resource with the number `thread`."""
    computation_ns: AmountColumn
    overhead_ns: AmountColumn
    transfer_ns: AmountColumn
    late_sender_ns: AmountColumn
    wrong_order_ns: AmountColumn
    late_receiver_ns: AmountColumn
    early_reduce_ns: AmountColumn
    early_scan_ns: AmountColumn
    late_broadcast_ns: AmountColumn
    n_to_n_ns: AmountColumn
    barrier_ns: AmountColumn
    other_thread_ns: AmountColumn
    completion_ns: AmountColumn
    end_ns: AmountColumn
    direct_ns: AmountColumn
    """Time for which other ranks waited for this rank's activities, all these ranks together."""
    indirect_ns: AmountColumn
    """Time for which other ranks waited for ranks that waited for this rank, directly or through
    further ranks.
    """


class CallTimes(Columns, frozen=True, kw_only=True):
    """Activities and waits by rank and call; one row for each activity or wait that took time."""

    rank: IntegerColumn
    thread: IntegerColumn
    call: _Names
    """MPI call; null if none is recorded, as in GOAL files, or after a rank's last call."""
    where: _Names
    """Source line, if the trace records call sites."""
    posted_call: _Names
    """The call that posted the message or collective, if it is another call (as with MPI_Wait);
    otherwise null.
    """
    posted_where: _Names
    what: _What
    """An activity, or the cause of waits. Computation counts for the next call."""
    ns: AmountColumn


class WaitDelays(Columns, frozen=True, kw_only=True):
    """Activities for which other ranks waited; all delays add up to all explained waits."""

    rank: IntegerColumn
    thread: IntegerColumn
    call: _Names
    where: _Names
    posted_call: _Names
    posted_where: _Names
    activity: _Activity
    """The activity. Computation counts for the next call."""
    direct_ns: AmountColumn
    indirect_ns: AmountColumn


class RankDelays(Columns, frozen=True, kw_only=True):
    """Delays by the delaying and the waiting rank."""

    delaying: IntegerColumn
    waiting: IntegerColumn
    direct_ns: AmountColumn
    indirect_ns: AmountColumn

    def listed(self) -> "RankDelays":
        """The delays in results: the longest ones, at most LISTED."""
        order = np.argsort(-(self.direct_ns + self.indirect_ns), kind="stable")
        return self.at(np.sort(order[:LISTED]))

    def unlisted(self) -> "UnlistedDelays | None":
        """The sum of the delays that are not listed; None if all are listed."""
        if len(self) <= LISTED:
            return None
        listed = self.listed()
        return UnlistedDelays(
            pairs=len(self) - LISTED,
            direct_ns=max(0.0, float(self.direct_ns.sum() - listed.direct_ns.sum())),
            indirect_ns=max(0.0, float(self.indirect_ns.sum() - listed.indirect_ns.sum())),
        )


class UnlistedDelays(Part, frozen=True, kw_only=True):
    """Sum of the delays between ranks that are too many to list."""

    pairs: Count
    direct_ns: Amount
    indirect_ns: Amount


class CallDelays(Columns, frozen=True, kw_only=True):
    """Delays by the calls of the delay (computation: the next call) and of the waits."""

    delaying_call: _Names
    delaying_where: _Names
    waiting_call: _Names
    waiting_where: _Names
    direct_ns: AmountColumn
    indirect_ns: AmountColumn


class EachCall(Part, frozen=True, kw_only=True):
    """Every recorded call, in each rank's order; arrays of equal length."""

    rank: Integers
    place: Integers
    """Index into `places`."""
    before_ns: Floats
    """Computation before the call."""
    within_ns: Floats
    """Time of the rank inside the call."""
    places: tuple[tuple[str | None, str | None], ...]
    """Call and line of each place."""


class Timeline(Part, frozen=True, kw_only=True):
    """Activities of all ranks' lines in equal cells of a stretch of time."""

    begin_ns: float
    end_ns: float
    lines_per_row: int
    ns: Floats
    """(rows, cells, kinds) time over all lines of a row; the kinds are ACTIVITIES, and then waits.
    """


class Waits(Part, frozen=True, kw_only=True):
    """All time at the baseline, and causes of waits."""

    by_rank: RankTimes
    times: CallTimes
    unexplained_ns: Nanoseconds
    """Time of waits whose delays are not known."""
    unpaired_ns: Nanoseconds
    """Delays that `between_ranks` lacks, because the waiting rank is not known. 0 unless very many
    ranks wait for each other."""
    delays: WaitDelays
    listed_delays: RankDelays = field(name="between_ranks")
    """Delays between ranks; only the longest 10,000 if there are more."""
    unlisted_delays: UnlistedDelays | None = field(name="between_other_ranks")
    """Sum of the delays that are not listed; null if all are listed."""
    between_calls: CallDelays
    every_delay: Annotated[RankDelays | None, Hidden] = None
    """Delays between all ranks; None for a result read from a file."""
    each: Annotated[EachCall | None, Hidden] = None
    """Every single call, if requested."""
    timelines: Annotated[tuple[Timeline, ...], Hidden] = ()
    """The whole run, and a closer look at a part of the run."""

    @property
    def lines(self) -> RankLines:
        """The lines to which the rows of `by_rank` belong."""
        return RankLines(self.by_rank.rank, self.by_rank.resource, self.by_rank.thread)

    @property
    def between_ranks(self) -> RankDelays:
        """Delays between all ranks; for a result read from a file, the listed delays."""
        return self.listed_delays if self.every_delay is None else self.every_delay

    def total(self, what: str) -> float:
        """Time of all ranks in an activity, or in waits with a cause."""
        return float(getattr(self.by_rank, f"{what}_ns").sum())

    @property
    def end_ns(self) -> float:
        """Time of all ranks together."""
        return float(self.by_rank.end_ns.sum())

    @property
    def waited_ns(self) -> float:
        """Waits of all ranks together."""
        return sum(map(self.total, CAUSES))
