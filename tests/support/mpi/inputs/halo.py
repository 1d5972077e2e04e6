"""mpi4py: a ring of messages, wildcards, a split communicator, collectives of both kinds."""

from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
half = world.Split(rank % 2, rank)
total = array("d", [0.0])
for _ in range(20):
    request = world.irecv(source=MPI.ANY_SOURCE, tag=7)
    world.send({"from": rank}, dest=(rank + 1) % size, tag=7)
    assert request.wait()["from"] == (rank - 1) % size
    half.Allreduce(array("d", [float(rank)]), total)
    world.bcast("x" * 1000 if rank == 0 else None, root=0)
    world.gather(rank, root=size - 1)
