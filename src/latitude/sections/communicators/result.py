"""Messages by communicator."""

from latitude.results.declared import AmountColumn, Columns, CountColumn


class Communicators(Columns, frozen=True, kw_only=True):
    """What messages each communicator has, of the whole program and on the critical path.

    A message belongs to the communicator of the call that receives it.
    """

    communicator: CountColumn
    """0 is MPI_COMM_WORLD; others by the order in which the trace has them."""
    messages: CountColumn
    bytes: CountColumn
    lambda_L: AmountColumn
    """Latencies of these messages on the critical path."""
    network_ns: AmountColumn
    """Latency and bandwidth of these messages on the critical path."""
