// endings HOW: a ring of messages, and then an end other than MPI_Finalize alone.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

static void ring(int rounds) {
  int x = 0;
  for (int i = 0; i < rounds; ++i) {
    MPI_Sendrecv_replace(&x, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "no-mpi") == 0) return 3;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ring(100);
  if (strcmp(how, "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(how, "abort") == 0) pause();
  if (strcmp(how, "exit") == 0) {
    signal(SIGHUP, SIG_IGN);  // signal that MPICH's launcher may send when the other rank is gone
    exit(0);
  }
  if (strcmp(how, "kill") == 0) {  // killed by the reader of this line
    printf("%ld\n", (long)getpid());
    fflush(stdout);
    for (;;) ring(100);
  }
  if (strcmp(how, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) exit(5);
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != 5) MPI_Abort(MPI_COMM_WORLD, 1);
    ring(100);
  }
  if (strcmp(how, "limit") == 0) {
    const struct rlimit limit = {100 * 1024, 100 * 1024};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (strcmp(how, "long") == 0 || strcmp(how, "limit") == 0) ring(40000);
  MPI_Finalize();
  return strcmp(how, "code") == 0 ? 9 : 0;
}
