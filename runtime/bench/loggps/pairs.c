#include "pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS_A_PAIR = 20000 };

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
static uint64_t random_bits(uint64_t* state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static bool inside(const struct job* job, struct pair pair) {
  return job->node[pair.leader] == job->node[pair.other];
}

static size_t add_all(const struct job* job, struct pair* pairs) {
  size_t count = 0;
  for (int i = 0; i < job->ranks; ++i) {
    for (int j = i + 1; j < job->ranks; ++j) pairs[count++] = (struct pair){i, j};
  }
  return count;
}

static bool known(const struct pair* pairs, size_t count, struct pair pair) {
  for (size_t i = 0; i < count; ++i) {
    if (pairs[i].leader == pair.leader && pairs[i].other == pair.other) return true;
  }
  return false;
}

/// Appends up to `most` pairs that are inside a node, or that are not.
static size_t draw(const struct job* job, bool wanted, size_t most, uint64_t* state,
                   struct pair* pairs, size_t count) {
  size_t found = 0;
  for (size_t draws = 0; found < most && draws < most * DRAWS_A_PAIR; ++draws) {
    const int a = (int)(random_bits(state) % (uint64_t)job->ranks);
    const int b = (int)(random_bits(state) % (uint64_t)job->ranks);
    const struct pair pair = a < b ? (struct pair){a, b} : (struct pair){b, a};
    if (a == b || inside(job, pair) != wanted || known(pairs, count, pair)) continue;
    pairs[count++] = pair;
    ++found;
  }
  return count;
}

struct pair* pairs_chosen(const struct job* job, size_t most, uint64_t seed, size_t* count) {
  const size_t ranks = (size_t)job->ranks, all = ranks * (ranks - 1) / 2;
  if (most == 0 || all <= most) {
    struct pair* pairs = bench_allocate(all, sizeof *pairs);
    *count = add_all(job, pairs);
    return pairs;
  }
  struct pair* pairs = bench_allocate(most, sizeof *pairs);
  const bool both = job->nodes > 1 && job->nodes < job->ranks;
  size_t held = both ? draw(job, true, most / 2, &seed, pairs, 0) : 0;
  held = draw(job, job->nodes == 1, most - held, &seed, pairs, held);
  *count = held;
  return pairs;
}

struct pair* pairs_listed(const struct job* job, const char* list, size_t* count) {
  struct pair* pairs = bench_allocate(strlen(list) / 3 + 1, sizeof *pairs);
  *count = 0;
  for (const char* at = list; *at; at += *at == ',') {
    struct pair* pair = &pairs[(*count)++];
    int used = 0;
    if (sscanf(at, "%9d-%9d%n", &pair->leader, &pair->other, &used) != 2 || pair->leader < 0 ||
        pair->other <= pair->leader || pair->other >= job->ranks ||
        (at[used] != ',' && at[used] != '\0')) {
      bench_fail("between=%s: lists no pairs of %d ranks; write e.g. 0-1,0-4", list, job->ranks);
    }
    at += used;
  }
  return pairs;
}
