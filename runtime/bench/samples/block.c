#include "block.h"

#include <math.h>
#include <stdlib.h>

#include "../common/clock.h"
#include "../common/waiting.h"

enum { EXCHANGES = 20, BEGINS = 3 };

void block_run(const struct block* block, struct crew* crew, const struct operation* operation,
               size_t bytes, struct span* spans) {
  const int64_t count = crew->runs ? block->count : 0;
  int64_t* const times = bench_allocate(2 * (size_t)count, sizeof *times);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = block->base + i * block->window - crew->early;
    bench_wait_until(agreed_own(&crew->clock, begin), crew->crowded);
    times[2 * i] = now_ns();
    operation->run(bytes);
    times[2 * i + 1] = now_ns();
  }
  bench_meet(crew->crowded ? BENCH_NAP_NS : 0);
  agreed_meet(&crew->clock, EXCHANGES);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begun = agreed_time(&crew->clock, times[2 * i]) + crew->early;
    spans[i].begin = (double)(begun - block->base);
    spans[i].end = (double)(agreed_time(&crew->clock, times[2 * i + 1]) - block->base);
  }
  free(times);
}

void block_reduce(const struct crew* crew, int64_t count, const struct span* spans,
                  struct outcome* outcomes) {
  struct located {
    double at;
    int rank;
  };
  int rank;
  MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  const size_t n = (size_t)count;
  // Earliest times are found as the largest negative ones.
  double* const begins = bench_allocate(2 * BEGINS * n, sizeof *begins);
  struct located* const ends = bench_allocate(2 * n, sizeof *ends);
  for (size_t i = 0; i < n; ++i) {
    double* const mine = begins + BEGINS * i;
    mine[0] = crew->times ? -spans[i].begin : -INFINITY;
    mine[1] = crew->runs ? -spans[i].begin : -INFINITY;
    mine[2] = crew->runs ? spans[i].begin : -INFINITY;
    ends[i] = (struct located){crew->times ? spans[i].end : -INFINITY, rank};
  }
  double* const found = begins + BEGINS * n;
  MUST(MPI_Reduce(begins, found, (int)(BEGINS * n), MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD));
  MUST(MPI_Reduce(ends, ends + n, (int)n, MPI_DOUBLE_INT, MPI_MAXLOC, 0, MPI_COMM_WORLD));
  for (size_t i = 0; i < n && rank == 0; ++i) {
    const double* const of = found + BEGINS * i;
    outcomes[i] = (struct outcome){.late = of[2],
                                   .skew = of[2] + of[1],
                                   .latency = ends[n + i].at + of[0],
                                   .slowest = ends[n + i].rank};
  }
  free(begins);
  free(ends);
}
