"""Messages by communicator."""

from typing import Annotated

from latitude.results.declared import AmountColumn, Columns, CountColumn
from latitude.units.columns import AMOUNT, COUNT, SIZE, TIME, column


class Communicators(Columns, frozen=True, kw_only=True):
    """Messages of each communicator, in the whole program and on the critical path.

    A message belongs to the communicator of the call that receives it.
    """

    communicator: CountColumn
    """Number of the communicator: 0 is MPI_COMM_WORLD; others are in the order of the trace."""
    messages: Annotated[CountColumn, column("messages", COUNT)]
    bytes: Annotated[CountColumn, column("sent", SIZE)]
    lambda_L: Annotated[AmountColumn, column("latencies λ", AMOUNT)]
    """Number of latencies of these messages on the critical path."""
    network_ns: Annotated[AmountColumn, column("network", TIME)]
    """Time of latency and transfer of these messages on the critical path."""
