#ifndef LATITUDE_INJECT_RANDOM_H
#define LATITUDE_INJECT_RANDOM_H

#include <stdint.h>

/// A linear congruential generator whose low 12 bits index the table (Underwood et al. 2018, §3.1).
///
/// x ← 48271·x mod (2³¹ − 1): Park, Miller and Stockmeyer, CACM 36(7), 1993. The modulus is prime
/// because the low 12 bits of a generator modulo a power of two repeat every 4,096 draws. Each such
/// round would visit every entry exactly once. Period 2³¹ − 2; state 1 … 2³¹ − 2.
enum { LAT_LCG_FACTOR = 48271, LAT_LCG_MODULUS = 0x7fffffff };

static inline uint32_t lat_lcg_next(uint32_t state) {
  const uint64_t product = (uint64_t)state * LAT_LCG_FACTOR;
  const uint64_t folded = (product & LAT_LCG_MODULUS) + (product >> 31);
  return (uint32_t)(folded >= LAT_LCG_MODULUS ? folded - LAT_LCG_MODULUS : folded);
}

static inline uint64_t lat_mix(uint64_t x) {  // the finaliser of SplitMix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The start of a thread's numbers: from the experiment's seed, the rank, its host, and the
/// thread's number in the process (0 is the first to draw).
static inline uint32_t lat_lcg_start(uint64_t seed, uint64_t rank, const char* host,
                                     uint64_t thread) {
  uint64_t mixed = lat_mix(seed);
  mixed = lat_mix(mixed ^ rank);
  for (; *host; ++host) mixed = lat_mix(mixed ^ (unsigned char)*host);
  return (uint32_t)(1 + lat_mix(mixed ^ thread) % (LAT_LCG_MODULUS - 1));
}

#endif
