// Does what its first argument says; a second is a file that every rank adds its process id to.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

static void talk(MPI_Comm among, int me, int of, int times) {
  for (int i = 0; i < times; ++i) {
    int sum = 0;
    int token = me;
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, among);
    MPI_Sendrecv_replace(&token, 1, MPI_INT, (me + 1) % of, 0, (me + of - 1) % of, 0, among,
                         MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "finalize";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 2) {
    FILE* file = fopen(argv[2], "a");
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
  }
  talk(MPI_COMM_WORLD, rank, size, 10);
  // Who waits for nobody writes a long trace soon, also on a busy machine.
  if (strcmp(how, "long") == 0) talk(MPI_COMM_SELF, 0, 1, 20000);
  if (strcmp(how, "status") == 0) {
    MPI_Finalize();
    return rank == 0 ? 3 : 0;  // one only: a launcher may kill the others then
  }
  if (strcmp(how, "echo") == 0) {
    for (int c; rank == 0 && (c = getchar()) != EOF;) putchar(c);
  } else if (strcmp(how, "environment") == 0) {
    printf("%d %s %s\n", rank, getenv("GREETING") ? getenv("GREETING") : "-",
           getenv("LATITUDE_TRACE_DIR") ? "traced" : "untraced");
  } else if (strcmp(how, "abort") == 0) {
    if (rank == size - 1) MPI_Abort(MPI_COMM_WORLD, 7);
    sleep(60);
  } else if (strcmp(how, "killed") == 0) {
    if (rank == size - 1) raise(SIGKILL);
    sleep(60);
  } else if (strcmp(how, "sleep") == 0) {
    sleep(60);
  } else if (strcmp(how, "exit") == 0) {
    signal(SIGHUP, SIG_IGN);  // what MPICH's launcher may send when the other rank is gone
    exit(0);
  } else if (strcmp(how, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) exit(system("true"));
    int status = 1;
    waitpid(child, &status, 0);
    talk(MPI_COMM_WORLD, rank, size, 10);
    if (status != 0) return 1;
  }
  MPI_Finalize();
  return 0;
}
