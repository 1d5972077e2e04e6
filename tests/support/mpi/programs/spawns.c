/* Starts a process of its own by MPI_Comm_spawn, which sends one message back. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Comm other;
  int word = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&other);
  if (other == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                   MPI_ERRCODES_IGNORE);
    MPI_Recv(&word, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
    printf("got %d\n", word);
  } else {
    word = 7;
    MPI_Send(&word, 1, MPI_INT, 0, 0, other);
  }
  MPI_Comm_disconnect(&other);
  MPI_Finalize();
  return 0;
}
