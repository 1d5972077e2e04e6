#include "pairs.h"

/// The number of ranks on every node; 0 if it differs between nodes.
static int ranks_per_node(const struct job* job) {
  const int each = job->ranks / job->nodes;
  for (int node = 0; node < job->nodes; ++node) {
    int count = 0;
    for (int rank = 0; rank < job->ranks; ++rank) count += job->node[rank] == node;
    if (count != each) return 0;
  }
  return each;
}

static int place_on_node(const struct job* job, int rank) {
  int place = 0;
  for (int other = 0; other < rank; ++other) place += job->node[other] == job->node[rank];
  return place;
}

static int rank_at(const struct job* job, int node, int place) {
  int rank = 0;
  while (job->node[rank] != node || place-- > 0) ++rank;
  return rank;
}

struct pair pair_of(const struct job* job, int rank) {
  const int each = ranks_per_node(job);
  if (each == 0 || each % 2 != 0) {
    const int partner = rank ^ 1;
    if (partner >= job->ranks) return (struct pair){.partner = -1};
    return (struct pair){rank % 2 == 0, rank % 2 != 0, partner};
  }
  const int half = each / 2, place = place_on_node(job, rank), nodes = job->nodes;
  const bool sends = place < half;
  const int node = (job->node[rank] + (sends ? 1 : nodes - 1)) % nodes;
  return (struct pair){sends, !sends, rank_at(job, node, sends ? place + half : place - half)};
}
