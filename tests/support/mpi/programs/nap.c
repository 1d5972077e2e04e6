// Rank r naps (r + 1) · 100 ms between MPI_Init and MPI_Finalize, and 300 ms before and after.
//
//     nap [thread]           by MPI_Init_thread instead of MPI_Init
#include <mpi.h>
#include <time.h>

static void nap(int ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

int main(int count, char** words) {
  nap(300);
  int provided, rank;
  if (count > 1) {
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
  } else {
    MPI_Init(&count, &words);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  nap(100 * (rank + 1));
  MPI_Finalize();
  nap(300);
  return 0;
}
