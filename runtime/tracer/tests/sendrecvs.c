// A ring of MPI_Isendrecv, then of MPI_Isendrecv_replace from any source; the first argument is the
// number of rounds of each.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 3;
  int rank, size, right = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  for (int i = 0; i < rounds; ++i) {
    int mine[2] = {rank, i}, other[2] = {-1, -1};
    MPI_Request request;
    MPI_Status status;
    MPI_Isendrecv(mine, 2, MPI_INT, next, 5, other, 2, MPI_INT, last, 5, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    right &= other[0] == last && other[1] == i;
    MPI_Isendrecv_replace(mine, 2, MPI_INT, next, 6, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                          &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    right &= mine[0] == last && mine[1] == i;
  }
  int all;
  MPI_Reduce(&right, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all ? "right" : "wrong");
  MPI_Finalize();
  return EXIT_SUCCESS;
}
