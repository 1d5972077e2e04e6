"""Values of θ at which another algorithm of NCCL becomes faster for a job's collectives."""

from typing import Annotated

from latitude.results.declared import Amount, Count, Nanoseconds, Part
from latitude.units.columns import AMOUNT, COUNT, SIZE, TIME, column


class FasterAlgorithm(Part, frozen=True, kw_only=True):
    """A value of θ above which another algorithm of NCCL is faster for some collectives of a job.

    The collectives of a row have one kind and size, and cross as many links.
    """

    group: str
    """Role of the groups, or else the group's name; empty if the input has neither."""
    groups: Count
    """Number of groups with this role."""
    ranks: Count
    """Number of ranks in the largest group."""
    kind: str
    collectives: Annotated[Count, column("calls", COUNT)]
    bytes: Annotated[Amount, column("size", SIZE)]
    """Size of each collective's buffer."""
    algorithm: str
    """The fastest algorithm below this θ; in a group's first row the recorded algorithm."""
    faster: str
    """The fastest algorithm above this θ."""
    slope: Annotated[Amount, column("its slope", AMOUNT)]
    """Growth of a collective's time with θ, with `algorithm`."""
    faster_slope: Annotated[Amount, column("slope of the other", AMOUNT)]
    """Growth of a collective's time with θ, with `faster`."""
    delta: Amount
    """Growth of θ from the baseline; 0 if the other algorithm is faster at the baseline already."""
    T_ns: Annotated[Nanoseconds, column("T there", TIME)]
    """T at this θ with the recorded algorithms."""
    published: bool
    """Whether the difference at the baseline comes from NCCL's cost model and the recorded time of
    the transfers; if false, from the network's L and G."""
