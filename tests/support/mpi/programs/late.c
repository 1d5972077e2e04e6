// What a receiver that computes meanwhile sees, by its own clock: it asks, looks for the answer
// only COMPUTE_MS later, and prints how long the answer took, us: the least of ROUNDS. Each rank in
// turn. Between these rounds are others in which it looks at once, printed as well.
//
//     late COMPUTE_MS ROUNDS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank;

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double answered(int asker, double compute_us) {
  int word = 0;
  const double begin = now_us();
  if (rank == asker) MPI_Send(&word, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  while (rank == asker && now_us() < begin + compute_us) continue;
  MPI_Recv(&word, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank != asker) MPI_Send(&word, 1, MPI_INT, asker, 0, MPI_COMM_WORLD);
  return now_us() - begin;
}

int main(int count, char** words) {
  enum { LOOKING = 5 };
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double compute_us = atof(words[1]) * 1000;
  for (int asker = 0; asker < 2; ++asker) {
    double at_once = 1e12, late = 1e12;
    for (int round = 0; round < atoi(words[2]); ++round) {
      for (int i = 0; i < LOOKING; ++i) {
        const double took = answered(asker, 0);
        if (took < at_once) at_once = took;
      }
      const double took = answered(asker, compute_us);
      if (took < late) late = took;
    }
    if (rank == asker) printf("%.1f %.1f\n", at_once, late);
  }
  MPI_Finalize();
  return 0;
}
