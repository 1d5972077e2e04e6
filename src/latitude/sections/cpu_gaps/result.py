"""The bound of a job's step: its CPUs, its GPUs, or communication."""

from typing import Annotated

from latitude.results.declared import Amount, Nanoseconds, Part, Unbounded
from latitude.units.columns import AMOUNT, TIME, column


class Bound(Part, frozen=True, kw_only=True):
    """T with one choice of CPU gaps, and what its critical path consists of."""

    factor: Amount
    """On what CPUs take between launches: 1 as recorded, 0 none."""
    T_ns: Annotated[Nanoseconds, column("runtime T", TIME)]
    cpu_ns: Nanoseconds
    """CPUs, and launches, on the critical path."""
    gpu_ns: Nanoseconds
    """Computation on GPU streams."""
    communication_ns: Nanoseconds
    """Transfers of collectives."""
    lambda_L: Annotated[Amount, column("latencies λ", AMOUNT)]
    tolerance_ns: Unbounded
    """The extra latency that costs 1 %."""


class CpuGaps(Part, frozen=True, kw_only=True):
    """The step with recorded, scaled, and no CPU gaps, as profiling lengthens these."""

    chosen: Amount
    """The factor of the analysis."""
    bounds: list[Bound]
    """By falling factor."""
