#include "clock.h"

#include <stdbool.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { CALIBRATION_NS = 2000000, TRIES = 16 };

uint64_t (*lat_ticks)(void) = lat_now_ns;
double lat_ticks_per_ns = 1;

#if defined(__x86_64__)

enum { POWER_LEAF = 0x80000007, INVARIANT = 1 << 8 };

/// Waits for the instructions before it, so that a short wait is not begun early.
static uint64_t counter(void) {
  unsigned processor;
  return __rdtscp(&processor);
}

static bool counter_is_even(void) {
  unsigned a, b, c, d = 0;
  return __get_cpuid(POWER_LEAF, &a, &b, &c, &d) && (d & INVARIANT);
}

static void pause_briefly(void) { _mm_pause(); }

#elif defined(__aarch64__)

static uint64_t counter(void) {
  uint64_t ticks;
  __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}

static bool counter_is_even(void) { return true; }  // by the architecture
static void pause_briefly(void) { __asm__ volatile("yield"); }

#else

static uint64_t counter(void) { return lat_now_ns(); }
static bool counter_is_even(void) { return false; }
static void pause_briefly(void) {}

#endif

/// Both clocks at one moment: of several readings the one that took least time.
static void read_both(uint64_t* ticks, uint64_t* ns) {
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < TRIES; ++i) {
    const uint64_t before = counter();
    const uint64_t now = lat_now_ns();
    const uint64_t after = counter();
    if (after - before >= least) continue;
    least = after - before;
    *ticks = before + least / 2;
    *ns = now;
  }
}

void lat_clock_calibrate(void) {
  if (!counter_is_even()) return;
  uint64_t ticks0 = 0, ns0 = 0, ticks1 = 0, ns1 = 0;
  read_both(&ticks0, &ns0);
  while (lat_now_ns() - ns0 < CALIBRATION_NS) pause_briefly();
  read_both(&ticks1, &ns1);
  if (ticks1 <= ticks0) return;
  lat_ticks_per_ns = (double)(ticks1 - ticks0) / (double)(ns1 - ns0);
  lat_ticks = counter;
}

uint64_t lat_busy_wait(uint64_t start, uint64_t ticks) {
  uint64_t passed = lat_ticks() - start;
  while (passed < ticks) {
    pause_briefly();
    passed = lat_ticks() - start;
  }
  return passed;
}
