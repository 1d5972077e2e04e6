/* Rounds of computation, $MS ms of processor time each (5 unless it is set), and messages: $TIMES
   times to all (once unless it is set). */
#define _POSIX_C_SOURCE 200112L
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
  return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* ms = getenv("MS");
  const double seconds = (ms != NULL ? atof(ms) : 5) * 1e-3;
  const char* times = getenv("TIMES");
  const int calls = times != NULL ? atoi(times) : 1;
  double sum = 1;
  for (int round = 0; round < 10; ++round) {
    const double end = now() + seconds;
    while (now() < end) continue;
    for (int call = 0; call < calls; ++call) {
      MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
