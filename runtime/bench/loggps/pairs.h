#ifndef LATITUDE_BENCH_PAIRS_H
#define LATITUDE_BENCH_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "../common/job.h"

struct pair {
  int leader, other;
};

/// At most `most` pairs of ranks (0: all), the same on all ranks: half of them inside nodes and
/// half between nodes, if enough exist, drawn at random from `seed`. The caller frees the result.
struct pair* pairs_chosen(const struct job* job, size_t most, uint64_t seed, size_t* count);

/// The pairs of a list: `0-1,0-4`. The caller frees the result.
struct pair* pairs_listed(const struct job* job, const char* list, size_t* count);

#endif
