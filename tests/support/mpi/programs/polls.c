// Two ranks compute, exchange a message, and test until it has come, with a little work in between.
//
//     polls EXCHANGES COMPUTE_US WORK_NS
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static long long ns_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void compute(long long ns) {
  const long long until = ns_of(CLOCK_THREAD_CPUTIME_ID) + ns;
  while (ns_of(CLOCK_THREAD_CPUTIME_ID) < until) {
  }
}

static void work(long long ns) {
  const long long until = ns_of(CLOCK_MONOTONIC) + ns;
  while (ns > 0 && ns_of(CLOCK_MONOTONIC) < until) {
  }
}

int main(int count, char** words) {
  if (count != 4) return 2;
  MPI_Init(&count, &words);
  const long exchanges = atol(words[1]);
  const long long ns = 1000 * atoll(words[2]), between = atoll(words[3]);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (long i = 0; i < exchanges; ++i) {
    char mine = 0, theirs = 0;
    MPI_Request receive, send;
    int there = 0;
    compute(ns * (1 + (i + rank) % 2));
    MPI_Irecv(&theirs, 1, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &receive);
    MPI_Isend(&mine, 1, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &send);
    while (MPI_Test(&receive, &there, MPI_STATUS_IGNORE), !there) work(between);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
