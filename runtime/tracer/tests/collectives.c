// Four ranks: every collective, blocking and not, with IN_PLACE, on the world and on a
// communicator with the ranks reversed.
#include <mpi.h>
#include <stdlib.h>

enum { P = 4, ROOM = 256 };
static int in[ROOM], out[ROOM];

static void multiply(void* a, void* b, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((int*)b)[i] *= ((int*)a)[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int world_rank, rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, P - world_rank, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Op own;
  MPI_Op_create(multiply, 0, &own);
  MPI_Request r;
  int counts[P], places[P], sums[P], bytes_at[P];
  int to[P], to_at[P];
  MPI_Datatype types[P];
  for (int i = 0; i < P; ++i) {
    counts[i] = i + 1;  // the contribution or result of rank i
    places[i] = 10 * i;
    bytes_at[i] = 40 * i;
    to[i] = rank + i;    // data from this rank to i …
    sums[i] = i + rank;  // data from i to this rank
    to_at[i] = 10 * i;
    types[i] = MPI_INT;
  }
  MPI_Barrier(comm);
  MPI_Ibarrier(comm, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
#define DO(blocking, nonblocking, ...) \
  MPI_##blocking(__VA_ARGS__);         \
  MPI_##nonblocking(__VA_ARGS__, &r);  \
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  DO(Bcast, Ibcast, in, 3, MPI_INT, 2, comm)
  DO(Reduce, Ireduce, in, out, 3, MPI_INT, MPI_SUM, 1, comm)
  DO(Reduce, Ireduce, rank == 1 ? MPI_IN_PLACE : in, out, 3, MPI_INT, own, 1, comm)
  DO(Allreduce, Iallreduce, in, out, 3, MPI_INT, MPI_SUM, comm)
  DO(Allreduce, Iallreduce, MPI_IN_PLACE, out, 3, MPI_INT, own, comm)
  DO(Scan, Iscan, in, out, 3, MPI_INT, MPI_SUM, comm)
  DO(Exscan, Iexscan, in, out, 3, MPI_INT, MPI_SUM, comm)
  DO(Reduce_scatter_block, Ireduce_scatter_block, in, out, 3, MPI_INT, MPI_SUM, comm)
  DO(Reduce_scatter, Ireduce_scatter, in, out, counts, MPI_INT, MPI_SUM, comm)
  DO(Gather, Igather, in, 3, MPI_INT, out, 3, MPI_INT, 1, comm)
  DO(Gather, Igather, rank == 1 ? MPI_IN_PLACE : in, rank == 1 ? 0 : 3,
     rank == 1 ? MPI_DATATYPE_NULL : MPI_INT, out, 3, MPI_INT, 1, comm)
  DO(Scatter, Iscatter, in, 3, MPI_INT, out, 3, MPI_INT, 1, comm)
  DO(Scatter, Iscatter, in, 3, MPI_INT, rank == 1 ? MPI_IN_PLACE : out, 3, MPI_INT, 1, comm)
  DO(Gatherv, Igatherv, in, counts[rank], MPI_INT, out, counts, places, MPI_INT, 1, comm)
  DO(Gatherv, Igatherv, rank == 1 ? MPI_IN_PLACE : in, counts[rank], MPI_INT, out, counts, places,
     MPI_INT, 1, comm)
  DO(Scatterv, Iscatterv, in, counts, places, MPI_INT, out, counts[rank], MPI_INT, 1, comm)
  DO(Allgather, Iallgather, in, 3, MPI_INT, out, 3, MPI_INT, comm)
  DO(Allgather, Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 3, MPI_INT, comm)
  DO(Allgatherv, Iallgatherv, in, counts[rank], MPI_INT, out, counts, places, MPI_INT, comm)
  DO(Alltoall, Ialltoall, in, 3, MPI_INT, out, 3, MPI_INT, comm)
  DO(Alltoallv, Ialltoallv, in, to, to_at, MPI_INT, out, sums, places, MPI_INT, comm)
  DO(Alltoallv, Ialltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out, sums, places, MPI_INT,
     comm)
  DO(Alltoallw, Ialltoallw, in, to, bytes_at, types, out, sums, bytes_at, types, comm)
  MPI_Op_free(&own);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
