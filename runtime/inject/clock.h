#ifndef LATITUDE_INJECT_CLOCK_H
#define LATITUDE_INJECT_CLOCK_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/// Ns of the one clock that all processes of a node share (CLOCK_MONOTONIC).
static inline uint64_t lat_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Finds the processor's counter and how fast it runs; takes a few ms. Once a process.
void lat_clock_calibrate(void);

/// What busy waits read: the time-stamp counter where it runs evenly, else CLOCK_MONOTONIC.
extern uint64_t (*lat_ticks)(void);
extern double lat_ticks_per_ns;

static inline uint64_t lat_ticks_of_ns(uint64_t ns) {
  return (uint64_t)((double)ns * lat_ticks_per_ns);
}

static inline uint64_t lat_ns_of_ticks(uint64_t ticks) {
  return (uint64_t)((double)ticks / lat_ticks_per_ns + 0.5);
}

/// Keeps the processor busy until `ticks` after `start`; returns the ticks that have passed.
uint64_t lat_busy_wait(uint64_t start, uint64_t ticks);

#endif
