#include "clock.h"

enum { LOOKS = 1000, TRIES = 5 };

double bench_clock_cost_ns(void) {
  double least = 1e9;
  for (int i = 0; i < TRIES; ++i) {
    const int64_t start = now_ns();
    for (int look = 1; look < LOOKS; ++look) now_ns();
    const double cost = (double)(now_ns() - start) / LOOKS;
    if (cost < least) least = cost;
  }
  return least;
}
