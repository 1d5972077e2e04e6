#ifndef LATITUDE_BENCH_CLOCK_H
#define LATITUDE_BENCH_CLOCK_H

#include <stdint.h>

#include "../../clock/clock.h"

/// Time, ns, of the clock that all processes of a node share, with a sign, because differences are
/// measured. No system call if the C library reads the clock in user space; `bench_clock_cost_ns`
/// gives the cost.
static inline int64_t now_ns(void) { return (int64_t)lat_now_ns(); }

/// Keeps the processor busy until `moment`; returns the actual moment.
static inline int64_t wait_until(int64_t moment) {
  return (int64_t)lat_wait_until(moment > 0 ? (uint64_t)moment : 0);
}

/// The cost of one reading of the clock.
double bench_clock_cost_ns(void);

#endif
