// The communication of LULESH: eight ranks in a cube exchange faces, edges and corners with
// non-blocking messages, three times a step, and agree on the time step.
#include <mpi.h>
#include <stdlib.h>

enum { STEPS = 300, SIDE = 8, EXCHANGES = 3 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static double in[8][SIDE * SIDE * EXCHANGES], out[8][SIDE * SIDE * EXCHANGES];
  static volatile double work[SIDE * SIDE * SIDE * 10];
  MPI_Request receives[8], sends[8];
  for (int step = 0; step < STEPS; ++step) {
    for (int exchange = 0; exchange < EXCHANGES; ++exchange) {
      int n = 0;
      for (int other = 1; other < 8; ++other) {  // the cube's other corners
        const int apart = __builtin_popcount((unsigned)other);
        const int count = (apart == 1 ? SIDE * SIDE : apart == 2 ? SIDE : 1) * (exchange + 1);
        MPI_Irecv(in[n], count, MPI_DOUBLE, rank ^ other, 1024 + exchange, MPI_COMM_WORLD,
                  &receives[n]);
        ++n;
      }
      for (int i = 0, other = 1; other < 8; ++i, ++other) {
        const int apart = __builtin_popcount((unsigned)other);
        const int count = (apart == 1 ? SIDE * SIDE : apart == 2 ? SIDE : 1) * (exchange + 1);
        MPI_Isend(out[i], count, MPI_DOUBLE, rank ^ other, 1024 + exchange, MPI_COMM_WORLD,
                  &sends[i]);
      }
      MPI_Waitall(n, sends, MPI_STATUSES_IGNORE);
      for (int i = 0; i < n; ++i) MPI_Wait(&receives[i], MPI_STATUS_IGNORE);
      for (int i = 0; i < SIDE * SIDE * SIDE * 10; ++i) work[i] = work[i] * 0.5 + 1.0;
    }
    double mine = 1.0, least;
    MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}
