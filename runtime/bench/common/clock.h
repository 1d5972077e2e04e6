#ifndef LATITUDE_BENCH_CLOCK_H
#define LATITUDE_BENCH_CLOCK_H

#include <stdint.h>

#include "../../clock/clock.h"

/// Ns of the clock that all processes of a node share, with a sign: what is measured are
/// differences. No trap into the kernel where the C library reads it in user space;
/// `bench_clock_cost_ns` tells.
static inline int64_t now_ns(void) { return (int64_t)lat_now_ns(); }

/// Keeps the processor busy until that moment; returns the moment it really was.
static inline int64_t wait_until(int64_t moment) {
  return (int64_t)lat_wait_until(moment > 0 ? (uint64_t)moment : 0);
}

/// What one look at the clock takes.
double bench_clock_cost_ns(void);

#endif
