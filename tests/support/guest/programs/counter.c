// Prints how often this processor's time stamp counter, which is an emulated one's, too, counts per
// millisecond. Of many readings of clock and counter those next to each other count, so that it is
// right on a busy machine.
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

enum { kReadings = 1000, kApartNs = 200000000 };

typedef struct {
  int64_t ns;
  uint64_t ticks;
} Reading;

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static Reading both(void) {
  Reading best = {0, 0};
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < kReadings; ++i) {
    const uint64_t before = __rdtsc();
    const int64_t ns = now_ns();
    const uint64_t between = __rdtsc() - before;
    if (between < least) {
      least = between;
      best = (Reading){ns, before + between / 2};
    }
  }
  return best;
}

int main(void) {
  const Reading first = both();
  const struct timespec apart = {0, kApartNs};
  nanosleep(&apart, NULL);
  const Reading last = both();
  const double ms = (double)(last.ns - first.ns) / 1e6;
  printf("%.0f\n", (double)(last.ticks - first.ticks) / ms);
  return 0;
}
