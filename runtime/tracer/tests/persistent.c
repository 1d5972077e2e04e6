// Persistent collectives, started several times each; the first argument is the number of rounds.
// All ranks start them in one order: with different orders Intel MPI waits forever.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 3;
  int rank, size, one, sum = 0, root = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Request requests[3];
  MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Bcast_init(&root, 1, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  int right = 1;
  for (int i = 0; i < rounds; ++i) {
    one = i + rank;
    root = rank == 1 ? 100 + i : 0;
    MPI_Start(&requests[0]);
    MPI_Startall(2, &requests[1]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    right &= sum == size * i + size * (size - 1) / 2 && root == 100 + i;
  }
  for (int i = 0; i < 3; ++i) MPI_Request_free(&requests[i]);
  int all;
  MPI_Reduce(&right, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all ? "right" : "wrong");
  MPI_Finalize();
  return EXIT_SUCCESS;
}
