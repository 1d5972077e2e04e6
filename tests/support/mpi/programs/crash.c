// Rank 1 does not send what rank 0 waits for: it falls, or waits, too.
#include <mpi.h>
#include <string.h>

static volatile int* volatile nowhere = 0;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int token = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);  // barrier
  if (rank == 1 && strcmp(argv[1], "falls") == 0) *nowhere = 1;
  MPI_Recv(&token, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // receive
  return MPI_Finalize();
}
