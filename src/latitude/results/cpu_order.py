"""In what order CPUs take operations that a GOAL file leaves independent."""

from latitude.results.declared import Count, Part


class CpuOrder(Part, frozen=True, kw_only=True):
    """The order, and how much was left to choose."""

    order: str
    """baseline: as they come at the baseline network; file: as the file has them; none."""
    choices: Count
    """Orders of two operations that were added; the file's dependencies have the others."""
    otherwise_at_low: Count | None
    """How many of them the CPUs would take the other way round at the interval's lower end, if
    they took them as they come; null where they do not, or nothing was chosen."""
    otherwise_at_high: Count | None
    """The same at its upper end."""
