/* Two functions compute, by the thread's own clock, and then call MPI: relax for 0.4 s, and as many
   times longer as the first argument says, smooth for 0.4 s; the second argument is in place of
   0.4. */
#define _POSIX_C_SOURCE 200112L
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static double sum;

/* A busy machine makes it take longer, not compute longer. */
static void compute(double seconds) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  const double end = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec + seconds;
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec < end);
}

static __attribute__((noinline)) void relax(double seconds) {
  compute(seconds);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  __asm__ volatile("");
}

static __attribute__((noinline)) void smooth(double seconds) {
  compute(seconds);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  __asm__ volatile("");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double slower = argc > 1 ? atof(argv[1]) : 1;
  const double seconds = argc > 2 ? atof(argv[2]) : 0.4;
  relax(seconds * slower);
  smooth(seconds);
  MPI_Finalize();
  return 0;
}
