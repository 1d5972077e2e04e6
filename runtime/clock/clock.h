#ifndef LATITUDE_CLOCK_H
#define LATITUDE_CLOCK_H

/// The one place where tracer, injector and bench programs read clocks, and wait for a time.
///
/// Tests link tests/virtual_clock.c in the place of clock.c: then time passes only as they say, and
/// what happens when is known to the nanosecond.

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/// Ns of the one clock that all processes of a node share (CLOCK_MONOTONIC).
uint64_t lat_now_ns(void);

/// Ns for which this thread has had a processor.
uint64_t lat_cpu_ns(void);

/// Ns for which this thread was ready to run and had no processor; LAT_NOT_KNOWN where the kernel
/// does not tell.
uint64_t lat_waited_ns(void);
#define LAT_NOT_KNOWN UINT64_MAX

/// What this process and this thread have had so far.
struct lat_usage {
  uint64_t user_us, system_us;      // CPU time of the process
  uint64_t voluntary, involuntary;  // how often the thread gave up its processor, and lost it
};
struct lat_usage lat_used(void);

/// The date (CLOCK_REALTIME).
struct timespec lat_date(void);

/// What tells this node's lat_now_ns from others': processes that read the same clock get the same
/// name, of less than `room` bytes.
void lat_clock_name(char* name, size_t room);

// Waits that keep the processor busy.

/// Until that moment of lat_now_ns; returns the moment it really was.
uint64_t lat_wait_until(uint64_t moment);

/// Finds the processor's counter and how fast it runs; takes a few ms. Once a process.
void lat_clock_calibrate(void);

/// The time-stamp counter where it runs evenly, else lat_now_ns.
uint64_t lat_ticks(void);
extern double lat_ticks_per_ns;

static inline uint64_t lat_ticks_of_ns(uint64_t ns) {
  return (uint64_t)((double)ns * lat_ticks_per_ns);
}

static inline uint64_t lat_ns_of_ticks(uint64_t ticks) {
  return (uint64_t)((double)ticks / lat_ticks_per_ns + 0.5);
}

/// Until `ticks` after `start`; returns the ticks that have passed.
uint64_t lat_busy_wait(uint64_t start, uint64_t ticks);

// Waits that leave the processor to others.

/// For so long, or a little longer.
void lat_sleep(uint64_t ns);

/// For as long as others want it.
void lat_yield(void);

/// A descriptor that becomes readable at the moment last set; −1 when there can be none. Closed as
/// any other.
int lat_timer_open(void);
void lat_timer_set(int timer, uint64_t moment);

/// Until one of the descriptors is ready, at most for so long; returns how many are (poll(2)).
static const uint64_t LAT_FOR_EVER = UINT64_MAX;
int lat_poll(struct pollfd* descriptors, unsigned count, uint64_t most_ns);

#endif
