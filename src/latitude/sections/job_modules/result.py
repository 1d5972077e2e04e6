"""The critical path of a job by parts of its program."""

from latitude.results.declared import Amount, Nanoseconds, Part


class ModuleShare(Part, frozen=True, kw_only=True):
    """A part of the program on the critical path."""

    module: str
    """The innermost annotation around the module's calls; empty without one."""
    lambda_L: Amount
    """Number of latencies of the module's collectives: this row's part of λ_L."""
    cpu_ns: Nanoseconds
    """Time of CPUs, and of launches."""
    gpu_ns: Nanoseconds
    """Time of computation on GPU streams."""
    communication_ns: Nanoseconds
    """Time of collectives' transfers."""
