// Communicators without a parent, and one that comes with a request.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Group world, reversed;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int ranks[64];
  for (int i = 0; i < size; ++i) ranks[i] = size - 1 - i;
  MPI_Group_incl(world, size, ranks, &reversed);
  MPI_Comm made;
  MPI_Comm_create_from_group(reversed, "latitude", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made);
  int there;
  MPI_Comm_rank(made, &there);
  if (rank == 0) puts(sum == size * (size - 1) / 2 && there == size - 1 ? "right" : "wrong");
  MPI_Comm_free(&made);
  MPI_Group_free(&reversed);
  MPI_Group_free(&world);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
