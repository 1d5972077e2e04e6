// Time of a call, in ns: an MPI_Test that finds nothing, and a call in a ping-pong of 8 bytes.
// Two ranks; the best of many short rounds, as other work on the machine only adds.
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 300, TESTS = 10000, PINGS = 1000 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double tests(void) {
  int flag;
  char byte, sent = 0;
  MPI_Request request;
  MPI_Irecv(&byte, 1, MPI_CHAR, 0, 9, MPI_COMM_SELF, &request);
  const double begin = now();
  for (int i = 0; i < TESTS; ++i) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  const double end = now();
  MPI_Send(&sent, 1, MPI_CHAR, 0, 9, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return (end - begin) / TESTS;
}

static double pings(int rank) {
  double data = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = now();
  for (int i = 0; i < PINGS; ++i) {
    if (rank == 0) MPI_Send(&data, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&data, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
  return (now() - begin) / (2.0 * PINGS);  // each rank makes two calls in a round trip
}

enum { DEEP = 10 };

// Below so many callers, as where stacks are kept.
static __attribute__((noinline)) double below(int callers, int rank) {
  const double time = callers ? below(callers - 1, rank) : pings(rank);
  __asm__ volatile("");
  return time;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double test = 1e9;
  double ping = 1e9;
  for (int i = 0; i < ROUNDS; ++i) {
    const double t = tests();
    const double p = below(DEEP, rank);
    if (t < test) test = t;
    if (p < ping) ping = p;
  }
  if (rank == 0) printf("%.2f %.2f\n", test, ping);
  MPI_Finalize();
  return 0;
}
