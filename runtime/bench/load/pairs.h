#ifndef LATITUDE_BENCH_PAIRS_H
#define LATITUDE_BENCH_PAIRS_H

#include <stdbool.h>

#include "../common/job.h"

/// The role of a rank, and its partner.
struct pair {
  bool sends, receives;  ///< neither: the rank without a partner
  int partner;
};

/// Fig. 1 of Underwood et al. 2018: if every node has the same even number of ranks, its first half
/// sends to the second half of the next node, around a ring. Otherwise rank 0 sends to 1, 2 to 3
/// and so on. Rank 0 always sends.
struct pair pair_of(const struct job* job, int rank);

#endif
