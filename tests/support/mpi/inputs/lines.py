"""mpi4py: MPI calls from Python functions; comments name their lines for the test."""

from array import array
from collections.abc import Iterator

from mpi4py import MPI

ROUNDS = 3
world = MPI.COMM_WORLD
rank, size = world.rank, world.size


def exchange(count: int) -> None:
    data, got = array("d", [1] * count), array("d", [0] * count)
    world.Sendrecv(data, (rank + 1) % size, recvbuf=got, source=(rank - 1) % size)  # exchange


class Löser:  # noqa: PLC2401 - the tracer writes names in UTF-8
    def norm(self) -> float:
        return float(world.allreduce(1.0))  # norm

    def step(self) -> None:
        exchange(10)  # first
        [self.norm() for _ in range(2)]
        exchange(20)  # second


def steps() -> Iterator[None]:
    for _ in range(ROUNDS):
        Löser().step()  # step
        yield None


list(steps())  # all
world.Barrier()  # end
