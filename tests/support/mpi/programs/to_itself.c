// Messages to oneself: alone, then while one of the same size goes to the other rank and one comes
// from there. Rank 0 prints ns of the slower rank, the least of many rounds: alone, beside, and of
// the messages between the ranks.
//
//     to_itself ROUNDS BYTES
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static char *out, *in;
static int bytes;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void begin(int rank, int piece, MPI_Request* requests) {
  const size_t at = (size_t)piece * (size_t)bytes;
  MPI_Irecv(in + at, bytes, MPI_BYTE, rank, piece, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out + at, bytes, MPI_BYTE, rank, piece, MPI_COMM_WORLD, &requests[1]);
}

static uint64_t end(MPI_Request* requests, uint64_t begun) {
  for (int i = 0; i < 2; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  return now() - begun;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bytes = atoi(words[2]);
  out = calloc(2, (size_t)bytes);
  in = calloc(2, (size_t)bytes);
  uint64_t least[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
  for (int round = 0; round < atoi(words[1]); ++round) {
    MPI_Request own[2], others[2];
    uint64_t took[3], slower[3];
    uint64_t begun = now();
    begin(rank, 0, own);
    took[0] = end(own, begun);
    MPI_Barrier(MPI_COMM_WORLD);
    begun = now();
    begin(1 - rank, 1, others);
    begin(rank, 0, own);
    took[1] = end(own, begun);
    took[2] = end(others, begun);
    MPI_Allreduce(took, slower, 3, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < 3; ++i) {
      if (slower[i] < least[i]) least[i] = slower[i];
    }
  }
  if (rank == 0) {
    for (int i = 0; i < 3; ++i) printf("%lu\n", (unsigned long)least[i]);
  }
  MPI_Finalize();
  return 0;
}
