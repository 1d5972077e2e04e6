// Messages to and fro between two ranks of a node, each with the time it was sent: rank r writes
// how long each took to it, ns, as integers of 8 bytes to OUT.r, and prints in how many of its
// rounds another process had its core. (Each spoils two messages at most: one to it and one from
// it.)
//
// With WAITS, a file of MESSAGES + 100 integers of 8 bytes, senders wait so many ns between taking
// the time and sending: what a latency costs on this machine when no injector is at work.
//
//     one_way OUT MESSAGES [WAITS]
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { WARM = 50 };

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static long switches(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nivcsw;
}

static uint64_t* read_waits(const char* path, int messages) {
  uint64_t* waits = calloc(2 * (size_t)messages, sizeof *waits);
  if (!path) return waits;
  FILE* file = fopen(path, "rb");
  if (!file || fread(waits, 2 * sizeof *waits, (size_t)messages, file) != (size_t)messages)
    MPI_Abort(MPI_COMM_WORLD, 1);
  fclose(file);
  return waits;
}

static void send_after(uint64_t wait_ns, int to) {
  const uint64_t sent = now();
  while (wait_ns > 0 && now() < sent + wait_ns) {
  }
  MPI_Send(&sent, 1, MPI_UINT64_T, to, 0, MPI_COMM_WORLD);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int messages = WARM + atoi(words[2]) / 2;
  uint64_t* took = calloc((size_t)messages, sizeof *took);
  const uint64_t* waits = read_waits(count > 3 ? words[3] : NULL, messages);
  int disturbed = 0;
  long seen = switches();
  for (int m = 0; m < messages; ++m) {
    uint64_t sent;
    if (rank == 0) send_after(waits[2 * m], 1);
    MPI_Recv(&sent, 1, MPI_UINT64_T, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    took[m] = now() - sent;
    if (rank == 1) send_after(waits[2 * m + 1], 0);
    const long before = seen;
    seen = switches();
    disturbed += m >= WARM && seen != before;
  }
  char path[4096];
  snprintf(path, sizeof path, "%s.%d", words[1], rank);
  FILE* file = fopen(path, "wb");
  fwrite(took + WARM, sizeof *took, (size_t)(messages - WARM), file);
  fclose(file);
  printf("%d\n", disturbed);
  MPI_Finalize();
  return 0;
}
