"""Whether CPUs, GPUs or communication limit a job's step."""

from typing import Annotated

from latitude.results.declared import Amount, Nanoseconds, Part, Unbounded
from latitude.units.columns import AMOUNT, TIME, column


class Bound(Part, frozen=True, kw_only=True):
    """T with one choice of CPU gaps, and the parts of its critical path."""

    factor: Amount
    """Factor on the time of CPUs between launches: 1 as recorded, 0 none."""
    T_ns: Annotated[Nanoseconds, column("runtime T", TIME)]
    cpu_ns: Nanoseconds
    """Time of CPUs, and of launches, on the critical path."""
    gpu_ns: Nanoseconds
    """Time of computation on GPU streams."""
    communication_ns: Nanoseconds
    """Time of collectives' transfers."""
    lambda_L: Annotated[Amount, column("latencies λ", AMOUNT)]
    tolerance_ns: Unbounded
    """The extra latency that costs 1 %."""


class CpuGaps(Part, frozen=True, kw_only=True):
    """The step with recorded, scaled, and no CPU gaps, because profiling lengthens the gaps."""

    chosen: Amount
    """The factor of the analysis."""
    bounds: list[Bound]
    """Bounds by falling factor."""
