"""Where each rank's time goes, and who made whom wait (docs/explanation/waits.md). Times are ns."""

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
"""Reasons in words why a rank waits for another rank, or a thread (a GOAL file's cpu) for another
one of its rank."""

ACTIVITIES = {"computation": "computation", "overhead": "overhead", "transfer": "transfer"}
"""Activities of a rank; transfer is the time of messages that both sides are ready for."""

_What = Annotated[
    tuple[str, ...], Meta(extra_json_schema={"items": {"enum": [*ACTIVITIES, *CAUSES]}})
]
_Activity = Annotated[tuple[str, ...], Meta(extra_json_schema={"items": {"enum": [*ACTIVITIES]}})]
_Names = tuple[str | None, ...]


class RankTimes(Columns, frozen=True, kw_only=True):
    """What each rank's time consists of, and how long others waited for it.

    If several threads of a rank call MPI, each has a row; so has each of several cpus on which a
    GOAL file's operations run. Activities and waits add up to the rank's end, or to the time of one
    of several threads or cpus from begin to end.
    """

    rank: IntegerColumn
    thread: IntegerColumn
    """Number of the thread, from 0; in a GOAL file the cpu."""
    resource: Annotated[
        tuple[Resource, ...], Meta(extra_json_schema={"items": {"enum": list(get_args(Resource))}})
    ]
    """Kind of resource that has this number."""
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
    """For how long others waited for what this one did, all of them together."""
    indirect_ns: AmountColumn
    """For how long others waited for ones that waited, themselves or through others, for it."""


class CallTimes(Columns, frozen=True, kw_only=True):
    """The same by rank and call: one row for each that took time."""

    rank: IntegerColumn
    thread: IntegerColumn
    call: _Names
    """Null where none is recorded: in GOAL files, and for what is after a rank's last call."""
    where: _Names
    """Line of the program, where the trace records call sites."""
    posted_call: _Names
    """Of a message, or a collective, that another call has posted (what MPI_Wait completes): that
    call; else null."""
    posted_where: _Names
    what: _What
    """An activity, or the cause of waits. Computation is that just before the call."""
    ns: AmountColumn


class WaitDelays(Columns, frozen=True, kw_only=True):
    """Activities that others waited for: all delays add up to all explained waits."""

    rank: IntegerColumn
    thread: IntegerColumn
    call: _Names
    where: _Names
    posted_call: _Names
    posted_where: _Names
    activity: _Activity
    """Computation is that just before the call."""
    direct_ns: AmountColumn
    indirect_ns: AmountColumn


class RankDelays(Columns, frozen=True, kw_only=True):
    """The same by who delayed and who waited."""

    delaying: IntegerColumn
    waiting: IntegerColumn
    direct_ns: AmountColumn
    indirect_ns: AmountColumn

    def listed(self) -> "RankDelays":
        """Those that results list: the longest ones, up to LISTED."""
        order = np.argsort(-(self.direct_ns + self.indirect_ns), kind="stable")
        return self.at(np.sort(order[:LISTED]))

    def unlisted(self) -> "UnlistedDelays | None":
        """The others together; None where all are listed."""
        if len(self) <= LISTED:
            return None
        listed = self.listed()
        return UnlistedDelays(
            pairs=len(self) - LISTED,
            direct_ns=max(0.0, float(self.direct_ns.sum() - listed.direct_ns.sum())),
            indirect_ns=max(0.0, float(self.indirect_ns.sum() - listed.indirect_ns.sum())),
        )


class UnlistedDelays(Part, frozen=True, kw_only=True):
    """Delays between ranks that are too many to list, together."""

    pairs: Count
    direct_ns: Amount
    indirect_ns: Amount


class CallDelays(Columns, frozen=True, kw_only=True):
    """The same by the calls of the delay (computation: just before them) and of the waits."""

    delaying_call: _Names
    delaying_where: _Names
    waiting_call: _Names
    waiting_where: _Names
    direct_ns: AmountColumn
    indirect_ns: AmountColumn


class EachCall(Part, frozen=True, kw_only=True):
    """Every recorded call, in each rank's order; arrays of one length."""

    rank: Integers
    place: Integers
    """Index into `places`."""
    before_ns: Floats
    """Computation before it."""
    within_ns: Floats
    """All time of its rank inside the call."""
    places: tuple[tuple[str | None, str | None], ...]
    """Call and line."""


class Timeline(Part, frozen=True, kw_only=True):
    """Activities of all ranks' lines in a stretch of time, in equal cells."""

    begin_ns: float
    end_ns: float
    lines_per_row: int
    ns: Floats
    """(rows, cells, kinds): of all lines of a row; the kinds are ACTIVITIES, and then waits."""


class Waits(Part, frozen=True, kw_only=True):
    """Where all time goes at the baseline, and who makes whom wait."""

    by_rank: RankTimes
    times: CallTimes
    unexplained_ns: Nanoseconds
    """Waits whose delays are not known."""
    unpaired_ns: Nanoseconds
    """Delays that `between_ranks` lacks, as it is not known which rank waited. 0 unless very many
    ranks wait for each other."""
    delays: WaitDelays
    listed_delays: RankDelays = field(name="between_ranks")
    """The longest 10,000 where there are more."""
    unlisted_delays: UnlistedDelays | None = field(name="between_other_ranks")
    """Null where between_ranks has all."""
    between_calls: CallDelays
    every_delay: Annotated[RankDelays | None, Hidden] = None
    """Between all ranks; None of a result read back."""
    each: Annotated[EachCall | None, Hidden] = None
    """Where asked for."""
    timelines: Annotated[tuple[Timeline, ...], Hidden] = ()
    """The whole run, and a closer look at a part of it."""

    @property
    def lines(self) -> RankLines:
        """Those that `by_rank` has rows for."""
        return RankLines(self.by_rank.rank, self.by_rank.resource, self.by_rank.thread)

    @property
    def between_ranks(self) -> RankDelays:
        """Delays between all ranks; for a result read from a file the listed delays."""
        return self.listed_delays if self.every_delay is None else self.every_delay

    def total(self, what: str) -> float:
        """Time of all ranks in an activity or a cause."""
        return float(getattr(self.by_rank, f"{what}_ns").sum())

    @property
    def end_ns(self) -> float:
        """All ranks' time."""
        return float(self.by_rank.end_ns.sum())

    @property
    def waited_ns(self) -> float:
        """All ranks' waits for each other."""
        return sum(map(self.total, CAUSES))
