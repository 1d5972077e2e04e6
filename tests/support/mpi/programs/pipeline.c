// A pipeline whose later ranks are slower, so that messages wait for their receivers: each says
// when it was sent. Every rank but the first prints how many of its receives began when their
// message was older than WAIT_US, and how many of these took more than half of that all the same.
//
//     pipeline MESSAGES WAIT_US
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 4000, SLOWEST_MS = 6 };

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int count, char** words) {
  int rank, ranks;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int64_t wait_ns = atoll(words[2]) * 1000;
  const struct timespec compute = {.tv_nsec = (SLOWEST_MS - ranks + 1 + rank) * 1000000L};
  static char buffer[BYTES];
  int counts[2] = {0, 0};
  for (int i = 0; i < atoi(words[1]); ++i) {
    if (rank > 0) {
      const int64_t begun = now_ns();
      MPI_Recv(buffer, BYTES, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      int64_t sent;
      memcpy(&sent, buffer, sizeof sent);
      const int late = begun - sent > wait_ns;
      counts[0] += late;
      counts[1] += late && now_ns() - begun > wait_ns / 2;
    }
    nanosleep(&compute, NULL);
    const int64_t sent = now_ns();
    memcpy(buffer, &sent, sizeof sent);
    if (rank + 1 < ranks) {
      MPI_Send(buffer, BYTES, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD);
    }
  }
  int* all = malloc(sizeof counts * (size_t)ranks);
  MPI_Gather(counts, 2, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
  for (int r = 1; rank == 0 && r < ranks; ++r) printf("%d %d\n", all[2 * r], all[2 * r + 1]);
  free(all);
  MPI_Finalize();
  return 0;
}
