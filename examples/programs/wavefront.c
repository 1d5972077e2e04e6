// Pipelined sweeps as in NPB's LU: on a grid of ranks each plane of a sweep waits for the ranks
// north and west of it, computes, and is sent on south and east; the second sweep of an iteration
// goes back. MPI_Recv and MPI_Send. Values are integers, and rank 0 checks them against the same
// sweeps computed alone.
//
//   mpicc -O2 -o wavefront wavefront.c && mpirun -n 8 ./wavefront --planes 10 --compute 10ms
#include "miniapp.h"

// A plane's value, from those before it.
static uint64_t updated(uint64_t own, uint64_t vertical, uint64_t horizontal) {
  return mix(own + 3 * vertical + 7 * horizontal);
}

static uint64_t value_at_start(int rank, int plane) {
  return mix((uint64_t)rank << 32 | (uint64_t)plane);
}

// The sum of all values, computed by one process.
static uint64_t alone(const int sides[2], int planes, int iterations) {
  const int ranks = sides[0] * sides[1];
  uint64_t* values = malloc(sizeof *values * (size_t)ranks * (size_t)planes);
  for (int i = 0; i < ranks * planes; ++i) values[i] = value_at_start(i / planes, i % planes);
  for (int sweep = 0; sweep < 2 * iterations; ++sweep) {
    const int back = sweep % 2;
    for (int step = 0; step < ranks; ++step) {
      const int rank = back ? ranks - 1 - step : step;
      const int row = rank / sides[1], column = rank % sides[1];
      const int has_vertical = back ? row < sides[0] - 1 : row > 0;
      const int has_horizontal = back ? column < sides[1] - 1 : column > 0;
      const int vertical = back ? rank + sides[1] : rank - sides[1];
      const int horizontal = back ? rank + 1 : rank - 1;
      for (int plane = 0; plane < planes; ++plane) {
        values[rank * planes + plane] = updated(
            values[rank * planes + plane], has_vertical ? values[vertical * planes + plane] : 0,
            has_horizontal ? values[horizontal * planes + plane] : 0);
      }
    }
  }
  uint64_t sum = 0;
  for (int i = 0; i < ranks * planes; ++i) sum += values[i];
  free(values);
  return sum;
}

// A message from `peer`; 0 where there is none.
static uint64_t received(char* buffer, const miniapp_t* app, int peer, int tag, MPI_Comm grid) {
  uint64_t value = 0;
  if (peer == MPI_PROC_NULL) return value;
  MPI_Recv(buffer, app->bytes, MPI_BYTE, peer, tag, grid, MPI_STATUS_IGNORE);
  memcpy(&value, buffer, sizeof value);
  return value;
}

int main(int argc, char** argv) {
  miniapp_t app = {
      .name = "wavefront", .iterations = 20, .compute_ns = 10000000, .bytes = 4096, .planes = 10};
  start(&app, argc, argv);
  int sides[2] = {0, 0}, around[2] = {0, 0}, peers[2][2];
  MPI_Dims_create(app.ranks, 2, sides);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides, around, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &peers[0][0], &peers[0][1]);  // north, south
  MPI_Cart_shift(grid, 1, 1, &peers[1][0], &peers[1][1]);  // west, east
  char* buffer = calloc(1, (size_t)app.bytes);
  uint64_t* values = malloc(sizeof *values * (size_t)app.planes);
  for (int plane = 0; plane < app.planes; ++plane) values[plane] = value_at_start(app.rank, plane);

  const int64_t begin_ns = now_ns(CLOCK_MONOTONIC);
  for (int sweep = 0; sweep < 2 * app.iterations; ++sweep) {
    const int back = sweep % 2;
    for (int plane = 0; plane < app.planes; ++plane) {
      const uint64_t vertical = received(buffer, &app, peers[0][back], plane, grid);
      const uint64_t horizontal = received(buffer, &app, peers[1][back], plane, grid);
      values[plane] = updated(values[plane], vertical, horizontal);
      compute(&app, sweep * app.planes + plane, 2 * app.planes);
      memcpy(buffer, &values[plane], sizeof values[plane]);
      for (int way = 0; way < 2; ++way) {
        if (peers[way][1 - back] == MPI_PROC_NULL) continue;
        MPI_Send(buffer, app.bytes, MPI_BYTE, peers[way][1 - back], plane, grid);
      }
    }
  }

  uint64_t mine = 0, sum = 0;
  for (int plane = 0; plane < app.planes; ++plane) mine += values[plane];
  MPI_Reduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  free(buffer);
  free(values);
  MPI_Comm_free(&grid);
  return finish(&app, begin_ns, app.rank != 0 || sum == alone(sides, app.planes, app.iterations));
}
