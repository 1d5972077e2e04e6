// Back-to-back eager sends: when each send returned and when each receive completed, ns after rank
// 0 began, by the one clock of the node. Prints the least of all rounds.
//
//     window MESSAGES ROUNDS LEAD_MS [LATE_MS]
//
// Rounds begin LEAD_MS after they are agreed on. With LATE_MS the receiver posts its receives (and
// first looks) that much later.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 64, BYTES = 64 };

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int ascending(const void* a, const void* b) {
  const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return (x > y) - (x < y);
}

static void busy_until(uint64_t end) {
  while (now() < end) continue;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int messages = atoi(words[1]), rounds = atoi(words[2]);
  const uint64_t lead = (uint64_t)(atof(words[3]) * 1e6);
  const uint64_t late = count > 4 ? (uint64_t)(atof(words[4]) * 1e6) : 0;
  uint64_t* times = calloc((size_t)(messages * rounds), sizeof *times);
  char data[MOST][BYTES] = {{0}};
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    uint64_t begin = now() + lead;
    MPI_Bcast(&begin, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    MPI_Request requests[MOST];
    if (rank == 1 && !late) {
      for (int m = 0; m < messages; ++m) {
        MPI_Irecv(data[m], BYTES, MPI_CHAR, 0, m, MPI_COMM_WORLD, &requests[m]);
      }
    }
    busy_until(begin + (rank == 1 ? late : 0));
    for (int m = 0; m < messages; ++m) {
      if (rank == 0) {
        MPI_Send(data[m], BYTES, MPI_CHAR, 1, m, MPI_COMM_WORLD);
      } else if (late) {
        MPI_Recv(data[m], BYTES, MPI_CHAR, 0, m, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Wait(&requests[m], MPI_STATUS_IGNORE);
      }
      times[m * rounds + round] = now() - begin;
    }
  }
  for (int who = 0; who < 2; ++who) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int m = 0; m < messages && who == rank; ++m) {
      qsort(&times[m * rounds], (size_t)rounds, sizeof *times, ascending);
      printf("%s %d %lu\n", who ? "received" : "sent", m, (unsigned long)times[m * rounds]);
    }
    fflush(stdout);
  }
  // MPICH over UCX's tcp hangs when a rank that still looks for messages sees another one leave.
  const struct timespec pause = {0, 20000000};
  nanosleep(&pause, NULL);
  MPI_Finalize();
  return 0;
}
