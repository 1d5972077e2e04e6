"""Time of each rank by activity."""

from latitude.results.declared import (
    AmountColumn,
    Columns,
    FloatColumn,
    IntegerColumn,
)


class ByRank(Columns, frozen=True, kw_only=True):
    """Time of each rank by activity at the baseline, over all its lines."""

    rank: IntegerColumn
    calc_ns: AmountColumn
    overhead_ns: AmountColumn
    wait_ns: AmountColumn
    end_ns: AmountColumn
    """End of the rank's last line."""
    path_ns: FloatColumn
    """Time of the critical path on the rank."""
