#ifndef LATITUDE_BENCH_PLAN_H
#define LATITUDE_BENCH_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "exchange.h"

/// The user's options.
struct wishes {
  int64_t most_bytes;  ///< the largest message
  int64_t size;        ///< an additional size of interest, or 0
  double quantile;     ///< quantile of the samples that counts as the value
  bool cold;           ///< messages are in memory, not in caches
  double precision;  ///< requested half width of the value's 95 % interval, as a share of the value
  int least_rounds;  ///< rounds before a test may count as precise
  double budget_ns;  ///< time for one pair
};

/// One pattern of a pair with all its values so far.
struct test {
  struct exchange what;
  double* values;
  size_t count, room;
  double* rounds;  ///< values of each round, in the order of `values`
  size_t rounds_count;
  bool precise;
};

/// All measurements of one pair.
struct plan {
  int64_t eager;        ///< largest message whose send does not wait for its receiver; -1: unknown
  int64_t eager_isend;  ///< the same for MPI_Isend and MPI_Wait
  int64_t eager_start;  ///< the same for MPI_Start and MPI_Wait
  struct test* tests;
  size_t count;
  int rounds;
  double seconds;
  size_t imprecise;  ///< number of tests with wider intervals than requested
};

/// Measures as the leader of a pair. `buffer` has room for the largest message.
struct plan plan_measured(const struct wishes* wishes, int other, struct buffer* buffer);
void plan_free(struct plan* plan);

#endif
