// Least half round trip of rank 0 with each other rank, of some, while the rest sleep. Prints a
// line a rank: its number, its host, ns.
//
//     apart TRIPS [INSIDE]
//
// INSIDE: so many trips with ranks on the same host.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

static void meet(void) {
  MPI_Request all;
  MPI_Ibarrier(MPI_COMM_WORLD, &all);
  for (int done = 0; !done; usleep(1000)) MPI_Test(&all, &done, MPI_STATUS_IGNORE);
}

static double half_round_trip(int partner) {
  char byte = 0;
  const double start = MPI_Wtime();
  if (rank == 0) MPI_Send(&byte, 1, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
  MPI_Recv(&byte, 1, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank != 0) MPI_Send(&byte, 1, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
  return (MPI_Wtime() - start) / 2;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int letters;
  MPI_Get_processor_name(name, &letters);
  char* names = calloc((size_t)ranks, sizeof name);
  MPI_Gather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Bcast(names, ranks * (int)sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int other = 1; other < ranks; ++other) {
    meet();
    if (rank != 0 && rank != other) continue;
    const int inside = count > 2 && strcmp(names, names + (size_t)other * sizeof name) == 0;
    double least = 1e9;
    for (int i = 0; i < atoi(words[inside ? 2 : 1]); ++i) {
      const double time = half_round_trip(rank == 0 ? other : 0);
      if (time < least) least = time;
    }
    if (rank == 0) printf("%d %s %.0f\n", other, names + (size_t)other * sizeof name, least * 1e9);
  }
  meet();
  free(names);
  MPI_Finalize();
  return 0;
}
