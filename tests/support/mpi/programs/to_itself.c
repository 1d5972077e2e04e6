// Messages to oneself: COUNT of them alone, then as many while one of the same size goes to the
// other rank and one comes from there. Rank 0 prints how long that one took, ns, on the slower
// rank.
//
//     to_itself COUNT BYTES
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

static void end(MPI_Request* requests) {
  for (int i = 0; i < 2; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static void to_itself(int rank, int count) {
  for (int i = 0; i < count; ++i) {
    MPI_Request own[2];
    begin(rank, 0, own);
    end(own);
  }
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bytes = atoi(words[2]);
  out = calloc(2, (size_t)bytes);
  in = calloc(2, (size_t)bytes);
  to_itself(rank, atoi(words[1]));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request others[2];
  const uint64_t begun = now();
  begin(1 - rank, 1, others);
  to_itself(rank, atoi(words[1]));
  end(others);
  const uint64_t took = now() - begun;
  uint64_t slower;
  MPI_Reduce(&took, &slower, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%lu\n", (unsigned long)slower);
  MPI_Finalize();
  return 0;
}
