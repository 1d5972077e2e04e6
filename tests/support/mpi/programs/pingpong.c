// Half round trips under several delays in one run, so that they compare: the table is rewritten
// and read again on SIGHUP. Prints one line a delay: ns asked, then min, p5, median of half round
// trips.
//
//     pingpong DIRECTORY ROUNDS BYTES DELAY…
//
// A delay is in ns: 5000 is injected; of w5000 nothing is injected, but senders wait so long
// before each message, which is what a delay costs on this machine when no injector is at work.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARM = 20, TIMED = 150, MOST = 16, ROUNDS = 64 };

static int rank, bytes;
static char* buffer;

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void set_delay(const char* directory, long ns) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    char path[4096];
    snprintf(path, sizeof path, "%s/table.dist", directory);
    FILE* file = fopen(path, "w");
    if (!file) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < 4096; ++i) fprintf(file, "%ld%c", ns, i % 8 == 7 ? '\n' : ' ');
    fclose(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (getenv("LATITUDE_INJECT")) raise(SIGHUP);  // nobody else listens
  MPI_Barrier(MPI_COMM_WORLD);
}

static void send_after(long wait_ns) {
  const double due = MPI_Wtime() + (double)wait_ns * 1e-9;
  while (wait_ns > 0 && MPI_Wtime() < due) {
  }
  MPI_Send(buffer, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
}

static double half_round_trip(long wait_ns) {
  const double start = MPI_Wtime();
  if (rank == 0) send_after(wait_ns);
  MPI_Recv(buffer, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) send_after(wait_ns);
  return (MPI_Wtime() - start) / 2 * 1e9;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int rounds = atoi(words[2]), delays = count - 4;
  bytes = atoi(words[3]);
  buffer = calloc(1, (size_t)bytes + 1);
  static double times[MOST][ROUNDS * TIMED];
  for (int round = 0; round < rounds; ++round) {
    for (int d = 0; d < delays; ++d) {
      const char* const delay = words[4 + d];
      const int waits = delay[0] == 'w';
      set_delay(words[1], waits ? 0 : atol(delay));
      for (int i = -WARM; i < TIMED; ++i) {
        const double took = half_round_trip(waits ? atol(delay + 1) : 0);
        if (i >= 0) times[d][round * TIMED + i] = took;
      }
    }
  }
  const int all = rounds * TIMED;
  for (int d = 0; d < delays && rank == 0; ++d) {
    qsort(times[d], (size_t)all, sizeof(double), ascending);
    printf("%s %.0f %.0f %.0f\n", words[4 + d], times[d][0], times[d][all / 20], times[d][all / 2]);
  }
  MPI_Finalize();
  return 0;
}
