"""Time of each rank by activity."""

from latitude.results.declared import (
    AmountColumn,
    Columns,
    FloatColumn,
    IntegerColumn,
)


class ByRank(Columns, frozen=True, kw_only=True):
    """Where each rank's time goes at the baseline; all its lines together."""

    rank: IntegerColumn
    calc_ns: AmountColumn
    overhead_ns: AmountColumn
    wait_ns: AmountColumn
    end_ns: AmountColumn
    """When its last line ends."""
    path_ns: FloatColumn
    """Time of the critical path on the rank."""
