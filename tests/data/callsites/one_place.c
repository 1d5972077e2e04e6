/* All latency in one place (A), an exchange that computation hides in another (B). */
#include <mpi.h>
#include <time.h>

enum { ROUNDS = 25 };

static char byte;

static __attribute__((noinline)) void give(int peer) {
  MPI_Send(&byte, 1, MPI_CHAR, peer, 0, MPI_COMM_WORLD); /* sender */
  __asm__ volatile("");
}

static __attribute__((noinline)) void take(int peer) {
  MPI_Recv(&byte, 1, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* A */
  __asm__ volatile("");
}

/* Takes this much of the processor, however busy the machine is. */
static void compute(double seconds) {
  for (clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC); clock() < end;) continue;
}

/* Rank 0 computes longer, so that rank 1 waits for the first message of the ping-pong. */
static void exchange(int rank) {
  static char halo[2][4096];
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(halo[0], 4096, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]); /* B */
  MPI_Isend(halo[1], 4096, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
  compute(rank == 0 ? 0.1 : 0.05);
  MPI_Waitall(2, requests, statuses);
}

int main(int argc, char **argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  exchange(rank);
  for (int round = 0; round < ROUNDS; ++round) {
    if (rank == 0) {
      give(1);
      take(1);
    } else {
      take(0);
      give(0);
    }
  }
  MPI_Finalize();
  return 0;
}
