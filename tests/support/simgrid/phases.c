// A small MPI program of known computation: ping-pongs, a halo exchange that hides latency behind
// computation, and allreduces. Every rank prints the time it took, in ns.
//
// With -DSIMULATED (under SimGrid's smpicc) computation is injected into the simulated clock;
// elsewhere the CPU spends it, so that a trace on a machine with fewer cores than ranks is right
// too.
#define _POSIX_C_SOURCE 199309L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef SIMULATED
#include <smpi/smpi.h>
static void compute(double microseconds) {
  smpi_execute_flops(1e3 * microseconds);
}  // at 1 Gflop/s
#else
static double cpu_microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void compute(double microseconds) {
  const double end = cpu_microseconds() + microseconds;
  while (cpu_microseconds() < end) {
  }
}
#endif

enum { ROUNDS = 20, STEPS = 30, SMALL = 64, HALO = 8192, LARGE = 32768, CHECK_EVERY = 3 };

static void ping_pong(char* buffer, int bytes, int rank, int ranks) {
  const int last = ranks - 1;
  for (int round = 0; round < ROUNDS; ++round) {
    if (rank == 0) {
      compute(5);
      MPI_Send(buffer, bytes, MPI_BYTE, last, 1, MPI_COMM_WORLD);
      MPI_Recv(buffer, bytes, MPI_BYTE, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == last) {
      MPI_Recv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      compute(5);
      MPI_Send(buffer, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    }
  }
}

// The work inside the subdomain, 100 to 400 µs by rank and step, runs while the halo is under way.
static void halo_exchange(char* buffer, int rank, int ranks) {
  const int left = (rank + ranks - 1) % ranks;
  const int right = (rank + 1) % ranks;
  double error = rank;
  for (int step = 0; step < STEPS; ++step) {
    MPI_Request requests[4];
    MPI_Irecv(buffer, HALO, MPI_BYTE, left, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(buffer + HALO, HALO, MPI_BYTE, right, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(buffer + 2 * HALO, HALO, MPI_BYTE, right, 3, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(buffer + 3 * HALO, HALO, MPI_BYTE, left, 4, MPI_COMM_WORLD, &requests[3]);
    compute(100 + 100 * ((rank + step) % 4));
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    compute(40);
    if (step % CHECK_EVERY == CHECK_EVERY - 1) {
      double sum = 0;
      MPI_Allreduce(&error, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      error = sum / ranks;
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* buffer = calloc(4, LARGE);
  if (buffer == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  const double begin = MPI_Wtime();
  ping_pong(buffer, SMALL, rank, ranks);
  ping_pong(buffer, LARGE, rank, ranks);
  halo_exchange(buffer, rank, ranks);
  printf("%.1f\n", 1e9 * (MPI_Wtime() - begin));
  free(buffer);
  MPI_Finalize();
  return 0;
}
