#ifndef LATITUDE_CLOCK_H
#define LATITUDE_CLOCK_H

/// The only place at which tracer, injector and bench programs read clocks, and wait for a time.
///
/// Tests link tests/virtual_clock.c in place of clock.c: then time passes only as they set it, and
/// the time of each event is known to the nanosecond.

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/// Ns of the one clock that all processes of a node share (CLOCK_MONOTONIC).
uint64_t lat_now_ns(void);

/// Ns for which this thread has had a processor.
uint64_t lat_cpu_ns(void);

/// Ns for which this thread was ready to run and had no processor; LAT_NOT_KNOWN if the kernel does
/// not record it.
uint64_t lat_waited_ns(void);
#define LAT_NOT_KNOWN UINT64_MAX

/// Resources that this process and this thread have used so far.
struct lat_usage {
  uint64_t user_us, system_us;      // CPU time of the process
  uint64_t voluntary, involuntary;  // number of times that the thread gave up its processor, and
                                    // lost it
};
struct lat_usage lat_used(void);

/// The date (CLOCK_REALTIME).
struct timespec lat_date(void);

/// A name of this node's lat_now_ns: processes that read the same clock get the same name, of less
/// than `room` bytes.
void lat_clock_name(char* name, size_t room);

// Waits that keep the processor busy.

/// Waits until `moment` of lat_now_ns; returns the actual moment.
uint64_t lat_wait_until(uint64_t moment);

/// Finds the processor's counter and its frequency, in a few ms. Call once per process.
void lat_clock_calibrate(void);

/// The time-stamp counter if it runs evenly, otherwise lat_now_ns.
uint64_t lat_ticks(void);
extern double lat_ticks_per_ns;

static inline uint64_t lat_ticks_of_ns(uint64_t ns) {
  return (uint64_t)((double)ns * lat_ticks_per_ns);
}

static inline uint64_t lat_ns_of_ticks(uint64_t ticks) {
  return (uint64_t)((double)ticks / lat_ticks_per_ns + 0.5);
}

/// Waits until `ticks` after `start`; returns the number of ticks that have passed.
uint64_t lat_busy_wait(uint64_t start, uint64_t ticks);

// Waits that leave the processor to others.

/// Sleeps for this time, or a little longer.
void lat_sleep(uint64_t ns);

/// Yields while other processes want the processor.
void lat_yield(void);

/// A descriptor that becomes readable at the moment last set; −1 if none is available. Close it as
/// any other.
int lat_timer_open(void);
void lat_timer_set(int timer, uint64_t moment);

/// Waits until one of the descriptors is ready, at most for this time; returns the number of ready
/// descriptors (poll(2)).
static const uint64_t LAT_FOR_EVER = UINT64_MAX;
int lat_poll(struct pollfd* descriptors, unsigned count, uint64_t most_ns);

#endif
