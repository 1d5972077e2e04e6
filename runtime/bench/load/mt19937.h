#ifndef LATITUDE_BENCH_MT19937_H
#define LATITUDE_BENCH_MT19937_H

#include <stdint.h>

/// The Mersenne Twister of Underwood et al. 2018, §5.1: Matsumoto & Nishimura, ACM TOMACS 8 (1998),
/// seeded by Knuth's recurrence as in their revision of 2002. The same numbers as std::mt19937.
enum { MT_WORDS = 624 };

struct mt19937 {
  uint32_t words[MT_WORDS];
  int next;
};

void mt19937_seed(struct mt19937* state, uint32_t seed);
uint32_t mt19937_next(struct mt19937* state);

/// A number in [0, 1), with 53 bits.
double mt19937_uniform(struct mt19937* state);

/// An exponential number with this mean.
double mt19937_exponential(struct mt19937* state, double mean);

#endif
