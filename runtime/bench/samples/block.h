#ifndef LATITUDE_BENCH_BLOCK_H
#define LATITUDE_BENCH_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "../common/agreed.h"
#include "operations.h"

/// Iterations that all ranks begin at agreed times.
struct block {
  int64_t base;    ///< when the first begins, on the agreed clock
  int64_t window;  ///< from one begin to the next
  int64_t count;
};

/// Who takes part in what is timed.
struct crew {
  struct agreed_clock clock;
  bool crowded;
  bool runs;   ///< this rank: a ping-pong has two ranks, however many the job has
  bool times;  ///< this rank's begin and end count: of a ping-pong, those of the first
  /// The second of a ping-pong waits in its receive before the first begins: a rank that is late by
  /// less than this does not count as latency.
  int64_t early;
};

/// An iteration on one rank, in ns of the agreed clock since the block's base.
struct span {
  double begin, end;
};

/// An iteration on all ranks, in ns.
struct outcome {
  double late;     ///< latest begin, since the block's base
  double skew;     ///< from the earliest begin to the latest
  double latency;  ///< from the earliest begin to the latest end of those whose times count
  int slowest;     ///< the rank that ended last
};

/// Runs a block, measures the clocks again, and only then puts the times on the agreed clock: lines
/// through points before and after a block hold better than lines drawn on. Called by all ranks.
void block_run(const struct block* block, struct crew* crew, const struct operation* operation,
               size_t bytes, struct span* spans);

/// Sums up all ranks' spans on rank 0. Called by all ranks.
void block_reduce(const struct crew* crew, int64_t count, const struct span* spans,
                  struct outcome* outcomes);

#endif
