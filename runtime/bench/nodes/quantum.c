#include "quantum.h"

#include "../common/clock.h"

enum { TRIAL_STEPS = 100000, TRIALS = 20 };

void quantum_work(int64_t steps) {
  static volatile uint64_t kept = 88172645463325252u;
  uint64_t x = kept;
  for (int64_t i = 0; i < steps; ++i) {  // Marsaglia's xorshift: each step needs the one before
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  kept = x;
}

int64_t quantum_steps(int64_t ns) {
  int64_t least = INT64_MAX;
  for (int trial = 0; trial < TRIALS; ++trial) {
    const int64_t begin = now_ns();
    quantum_work(TRIAL_STEPS);
    const int64_t took = now_ns() - begin;
    if (took < least) least = took;
  }
  return ns * TRIAL_STEPS / least + 1;
}
