#ifndef LATITUDE_BENCH_PAIRS_H
#define LATITUDE_BENCH_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "../common/job.h"

struct pair {
  int leader, other;
};

/// At most `most` pairs of ranks (all when 0), on all ranks the same: half of them inside nodes and
/// half between nodes, as far as there are such, drawn at random from `seed`. To be freed.
struct pair* pairs_chosen(const struct job* job, size_t most, uint64_t seed, size_t* count);

/// Those of a list: `0-1,0-4`. To be freed.
struct pair* pairs_listed(const struct job* job, const char* list, size_t* count);

#endif
