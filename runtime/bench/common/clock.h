#ifndef LATITUDE_BENCH_CLOCK_H
#define LATITUDE_BENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

/// Ns of the clock that all processes of a node share. No trap into the kernel where the C library
/// reads it in user space; `bench_clock_cost_ns` tells.
static inline int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// Keeps the processor busy until that moment; returns the moment it really was.
static inline int64_t wait_until(int64_t moment) {
  int64_t now = now_ns();
  while (now < moment) now = now_ns();
  return now;
}

/// What one look at the clock takes.
double bench_clock_cost_ns(void);

#endif
