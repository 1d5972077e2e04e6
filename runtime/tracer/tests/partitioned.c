// Two ranks: a partitioned message of four partitions.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  enum { PARTS = 4 };
  int rank, flag;
  int data[PARTS] = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request request;
  if (rank == 0) {
    MPI_Psend_init(data, PARTS, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    for (int i = 0; i < PARTS; ++i) data[i] = i + 1;
    MPI_Pready(0, request);
    MPI_Pready_range(1, PARTS - 1, request);
  } else {
    MPI_Precv_init(data, PARTS, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Parrived(request, 0, &flag);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  if (rank == 1) puts(data[PARTS - 1] == PARTS ? "right" : "wrong");
  MPI_Finalize();
  return EXIT_SUCCESS;
}
