"""The critical path of a job by parts of its program."""

from latitude.results.declared import Amount, Nanoseconds, Part


class ModuleShare(Part, frozen=True, kw_only=True):
    """A part of the program on the critical path."""

    module: str
    """The innermost annotation around its calls; empty without one."""
    lambda_L: Amount
    """Latencies of its collectives: this row's part of λ_L."""
    cpu_ns: Nanoseconds
    """CPUs, and launches."""
    gpu_ns: Nanoseconds
    """Computation on GPU streams."""
    communication_ns: Nanoseconds
    """Transfers of collectives."""
