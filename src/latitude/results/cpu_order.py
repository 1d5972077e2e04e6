"""The order in which CPUs take operations that a GOAL file leaves independent."""

from latitude.results.declared import Count, Part


class CpuOrder(Part, frozen=True, kw_only=True):
    """The chosen order, and the number of choices."""

    order: str
    """baseline: by arrival on the baseline network; file: as in the file; or none."""
    choices: Count
    """Orders of two operations that were added to the file's dependencies."""
    otherwise_at_low: Count | None
    """Number of these orders that would be reversed at the interval's lower end. null if `order` is
    not baseline, or the file left no choice."""
    otherwise_at_high: Count | None
    """Number of these orders that would be reversed at the interval's upper end."""
