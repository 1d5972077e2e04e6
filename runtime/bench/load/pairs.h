#ifndef LATITUDE_BENCH_PAIRS_H
#define LATITUDE_BENCH_PAIRS_H

#include <stdbool.h>

#include "../common/job.h"

/// What a rank does, and with whom.
struct pair {
  bool sends, receives;  ///< neither: the odd one out
  int partner;
};

/// Fig. 1 of [U]: where every node has the same even number of ranks, their first half sends to the
/// second half of the next node's, round a ring. Else rank 0 sends to 1, 2 to 3 and so on. Rank 0
/// always sends.
struct pair pair_of(const struct job* job, int rank);

#endif
