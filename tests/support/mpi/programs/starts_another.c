// Rank 0 runs another MPI program, given as arguments, in the middle of its own.
#include <mpi.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

static void talk(void) {
  for (int i = 0; i < 10; ++i) MPI_Barrier(MPI_COMM_WORLD);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  talk();
  int status = 0;
  if (rank == 0) {
    const pid_t child = fork();
    if (child == 0) {
      execv(words[1], words + 1);
      _exit(9);
    }
    waitpid(child, &status, 0);
  }
  talk();
  MPI_Finalize();
  return status != 0;
}
