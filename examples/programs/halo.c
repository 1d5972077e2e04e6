// A 2-D stencil: each iteration exchanges the four edges of every rank's block with MPI_Isend,
// MPI_Irecv and MPI_Waitall, then computes. Cells are integers, so the result is exact, and rank 0
// checks it against the same stencil computed alone.
//
//   mpicc -O2 -o halo halo.c && mpirun -n 8 ./halo --iterations 100 --compute 5ms --bytes 4096
#include "miniapp.h"

enum { SIDE = 8, NEIGHBOURS = 4 };  // a block is SIDE x SIDE; what a message has more is padding

static uint64_t cell_at_start(int row, int column) {
  return mix((uint64_t)row << 32 | (uint64_t)column);
}

static uint64_t updated(uint64_t own, uint64_t north, uint64_t south, uint64_t west,
                        uint64_t east) {
  return 3 * own + north + 5 * south + 7 * west + 11 * east;
}

// The sum of all cells, computed by one process. The grid is a torus.
static uint64_t alone(int rows, int columns, int iterations) {
  uint64_t* cells = malloc(sizeof *cells * (size_t)rows * (size_t)columns);
  uint64_t* next = malloc(sizeof *next * (size_t)rows * (size_t)columns);
  for (int i = 0; i < rows * columns; ++i) cells[i] = cell_at_start(i / columns, i % columns);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    for (int row = 0; row < rows; ++row) {
      const uint64_t* here = cells + row * columns;
      const uint64_t* north = cells + (row + rows - 1) % rows * columns;
      const uint64_t* south = cells + (row + 1) % rows * columns;
      for (int column = 0; column < columns; ++column) {
        next[row * columns + column] =
            updated(here[column], north[column], south[column],
                    here[(column + columns - 1) % columns], here[(column + 1) % columns]);
      }
    }
    uint64_t* swap = cells;
    cells = next;
    next = swap;
  }
  uint64_t sum = 0;
  for (int i = 0; i < rows * columns; ++i) sum += cells[i];
  free(cells);
  free(next);
  return sum;
}

int main(int argc, char** argv) {
  miniapp_t app = {
      .name = "halo", .iterations = 100, .compute_ns = 5000000, .bytes = 4096, .planes = 1};
  start(&app, argc, argv);
  int sides[2] = {0, 0}, around[2] = {1, 1}, at[2], peers[NEIGHBOURS];
  MPI_Dims_create(app.ranks, 2, sides);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides, around, 0, &grid);
  MPI_Cart_coords(grid, app.rank, 2, at);
  MPI_Cart_shift(grid, 0, 1, &peers[0], &peers[1]);  // north, south
  MPI_Cart_shift(grid, 1, 1, &peers[2], &peers[3]);  // west, east

  const size_t edge = SIDE * sizeof(uint64_t);
  const size_t bytes = (size_t)app.bytes > edge ? (size_t)app.bytes : edge;
  uint64_t *out[NEIGHBOURS], *in[NEIGHBOURS];
  for (int side = 0; side < NEIGHBOURS; ++side) {
    out[side] = calloc(1, bytes);
    in[side] = calloc(1, bytes);
  }
  uint64_t cells[SIDE][SIDE], next[SIDE][SIDE];
  for (int row = 0; row < SIDE; ++row) {
    for (int column = 0; column < SIDE; ++column) {
      cells[row][column] = cell_at_start(at[0] * SIDE + row, at[1] * SIDE + column);
    }
  }

  const int64_t begin_ns = now_ns(CLOCK_MONOTONIC);
  for (int iteration = 0; iteration < app.iterations; ++iteration) {
    for (int i = 0; i < SIDE; ++i) {
      out[0][i] = cells[0][i];
      out[1][i] = cells[SIDE - 1][i];
      out[2][i] = cells[i][0];
      out[3][i] = cells[i][SIDE - 1];
    }
    MPI_Request requests[2 * NEIGHBOURS];
    MPI_Status statuses[2 * NEIGHBOURS];
    for (int side = 0; side < NEIGHBOURS; ++side) {  // tags name the side of the sender
      MPI_Irecv(in[side], (int)bytes, MPI_BYTE, peers[side], side ^ 1, grid, &requests[side]);
    }
    for (int side = 0; side < NEIGHBOURS; ++side) {
      MPI_Isend(out[side], (int)bytes, MPI_BYTE, peers[side], side, grid,
                &requests[NEIGHBOURS + side]);
    }
    MPI_Waitall(2 * NEIGHBOURS, requests, statuses);
    for (int row = 0; row < SIDE; ++row) {
      for (int column = 0; column < SIDE; ++column) {
        next[row][column] =
            updated(cells[row][column], row > 0 ? cells[row - 1][column] : in[0][column],
                    row < SIDE - 1 ? cells[row + 1][column] : in[1][column],
                    column > 0 ? cells[row][column - 1] : in[2][row],
                    column < SIDE - 1 ? cells[row][column + 1] : in[3][row]);
      }
    }
    memcpy(cells, next, sizeof cells);
    compute(&app, iteration, 1);
  }

  uint64_t mine = 0, sum = 0;
  for (int i = 0; i < SIDE * SIDE; ++i) mine += cells[i / SIDE][i % SIDE];
  MPI_Reduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int side = 0; side < NEIGHBOURS; ++side) {
    free(out[side]);
    free(in[side]);
  }
  MPI_Comm_free(&grid);
  const int right = app.rank != 0 || sum == alone(sides[0] * SIDE, sides[1] * SIDE, app.iterations);
  return finish(&app, begin_ns, right);
}
