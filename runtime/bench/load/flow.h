#ifndef LATITUDE_BENCH_FLOW_H
#define LATITUDE_BENCH_FLOW_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mt19937.h"
#include "pairs.h"

/// Messages of one pair, until its sender says that this was the last.
struct flow {
  struct pair pair;
  char* buffer;
  int bytes;
  bool crowded;  ///< who waits must leave its core to others
};

/// As many messages as go, for so many ns; the bytes a second of the median slice of it.
double flow_peak(const struct flow* flow, int64_t ns);

/// When a sender looks whether it should end.
struct ending {
  MPI_Request told;  ///< rank 0's word to the others
  int64_t at;        ///< on this rank's clock, for rank 0; INT64_MAX is never
  int rank;
};

/// Algorithm 3 of [U]: a leaky bucket of time, from which each message takes an exponential delay.
/// `mean` is that delay's. Calls `flowing` once a second, from the first message on, with what was
/// sent.
struct sent {
  int64_t messages, ns;
};
struct sent flow_send(const struct flow* flow, double mean, struct mt19937* random,
                      struct ending* ending, void (*flowing)(const struct sent* so_far));

/// The other end of either; returns the bytes received and the time from the first message to last.
struct received {
  int64_t bytes, ns;
};
struct received flow_receive(const struct flow* flow);

#endif
