#ifndef LATITUDE_BENCH_BLOCK_H
#define LATITUDE_BENCH_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "../common/agreed.h"
#include "operations.h"

/// Iterations that all ranks begin at agreed times.
struct block {
  int64_t base;    ///< start of the first, on the agreed clock
  int64_t window;  ///< time from one planned start to the next
  int64_t count;
};

/// The ranks that take part in the timed operation.
struct crew {
  struct agreed_clock clock;
  bool crowded;
  bool runs;  ///< whether this rank takes part: a ping-pong has two ranks, whatever the size of the
              ///< job
  bool times;  ///< whether this rank's start and end count: in a ping-pong, only the first rank's
  /// The second rank of a ping-pong waits in its receive before the first rank starts: lateness
  /// below this limit does not count as latency.
  int64_t early;
};

/// An iteration on one rank, in ns of the agreed clock since the block's base.
struct span {
  double begin, end;
};

/// An iteration on all ranks, in ns.
struct outcome {
  double late;     ///< latest start, since the block's base
  double skew;     ///< from the earliest start to the latest
  double latency;  ///< from the earliest start to the latest end of ranks whose times count
  int slowest;     ///< the rank that ended last
};

/// Runs a block, measures the clocks again, and only then converts the times to the agreed clock:
/// lines through points before and after a block are more exact than extrapolated lines. All ranks
/// must call this function.
void block_run(const struct block* block, struct crew* crew, const struct operation* operation,
               size_t bytes, struct span* spans);

/// Combines all ranks' spans on rank 0. All ranks must call this function.
void block_reduce(const struct crew* crew, int64_t count, const struct span* spans,
                  struct outcome* outcomes);

#endif
