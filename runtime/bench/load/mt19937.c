#include "mt19937.h"

#include <math.h>

enum { MIDDLE = 397 };
static const uint32_t TWIST = 0x9908b0dfu, UPPER = 0x80000000u, LOWER = 0x7fffffffu;

void mt19937_seed(struct mt19937* state, uint32_t seed) {
  state->words[0] = seed;
  for (uint32_t i = 1; i < MT_WORDS; ++i) {
    const uint32_t before = state->words[i - 1];
    state->words[i] = 1812433253u * (before ^ (before >> 30)) + i;
  }
  state->next = MT_WORDS;
}

static void twist(struct mt19937* state) {
  uint32_t* const words = state->words;
  for (int i = 0; i < MT_WORDS; ++i) {
    const uint32_t joined = (words[i] & UPPER) | (words[(i + 1) % MT_WORDS] & LOWER);
    words[i] = words[(i + MIDDLE) % MT_WORDS] ^ (joined >> 1) ^ (joined & 1 ? TWIST : 0);
  }
  state->next = 0;
}

uint32_t mt19937_next(struct mt19937* state) {
  if (state->next == MT_WORDS) twist(state);
  uint32_t y = state->words[state->next++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

double mt19937_uniform(struct mt19937* state) {
  const uint32_t high = mt19937_next(state) >> 5, low = mt19937_next(state) >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

double mt19937_exponential(struct mt19937* state, double mean) {
  return -mean * log1p(-mt19937_uniform(state));
}
