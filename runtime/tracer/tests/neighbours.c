// Four ranks: neighbourhood collectives on the three kinds of topology.
#include <mpi.h>
#include <stdlib.h>

enum { ROOM = 256 };
static int in[ROOM], out[ROOM];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm comm;
  const int sizes[2] = {2, 2};
  const int closed[2] = {0, 1};  // the second dimension is a ring
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, closed, 0, &comm);
  int counts[4] = {2, 2, 2, 2};
  int places[4] = {0, 10, 20, 30};
  MPI_Neighbor_allgather(in, 2, MPI_INT, out, 2, MPI_INT, comm);
  MPI_Neighbor_alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, comm);
  MPI_Comm_free(&comm);

  const int index[4] = {1, 2, 3, 4};  // pairs: 0-1, 2-3
  const int edges[4] = {1, 0, 3, 2};
  MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &comm);
  MPI_Neighbor_alltoall(in, 3, MPI_INT, out, 3, MPI_INT, comm);
  MPI_Comm_free(&comm);

  const int from = (rank + 3) % 4;  // a ring, one way
  const int to = (rank + 1) % 4;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  MPI_Request r;
  const int one[1] = {2};
  const int zero[1] = {0};
  MPI_Neighbor_allgatherv(in, 2, MPI_INT, out, one, zero, MPI_INT, comm);
  MPI_Ineighbor_alltoallv(in, one, zero, MPI_INT, out, one, zero, MPI_INT, comm, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  const MPI_Aint at[1] = {0};
  const MPI_Datatype types[1] = {MPI_INT};
  MPI_Neighbor_alltoallw(in, one, at, types, out, one, at, types, comm);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
