#ifndef LATITUDE_BENCH_PLAN_H
#define LATITUDE_BENCH_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "exchange.h"

/// What the user asked for.
struct wishes {
  int64_t most_bytes;  ///< the largest message
  int64_t size;        ///< one more size of interest, or 0
  double quantile;     ///< of the samples: the value that counts
  bool cold;           ///< messages lie in memory, not in caches
  double precision;    ///< half the width of its 95 % interval, as a share of it
  int least_rounds;    ///< before a test may be precise
  double budget_ns;    ///< for one pair
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

/// All that is measured of one pair.
struct plan {
  int64_t eager;  ///< largest message whose send does not wait for its receiver; -1: none known
  int64_t eager_isend;  ///< the same of MPI_Isend
  int64_t eager_start;  ///< and of MPI_Start
  struct test* tests;
  size_t count;
  int rounds;
  double seconds;
  size_t imprecise;  ///< tests whose intervals are wider than asked
};

/// The leader's work. `buffer` has room for the largest message.
struct plan plan_measured(const struct wishes* wishes, int other, struct buffer* buffer);
void plan_free(struct plan* plan);

#endif
