/* Two functions compute, by the clock, and then call MPI: relax for 2 s, and as many times longer as
   the argument says, smooth for 2 s. */
#define _POSIX_C_SOURCE 200112L
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static double sum;

/* A sleep to an absolute time takes as long on a busy machine, which wakes sleepers first. */
static void compute(double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const long ns = until.tv_nsec + (long)(seconds * 1e9);
  until.tv_sec += ns / 1000000000L;
  until.tv_nsec = ns % 1000000000L;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) continue;
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

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const double slower = argc > 1 ? atof(argv[1]) : 1;
  relax(2 * slower);
  smooth(2);
  MPI_Finalize();
  return 0;
}
