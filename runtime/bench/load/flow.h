#ifndef LATITUDE_BENCH_FLOW_H
#define LATITUDE_BENCH_FLOW_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mt19937.h"
#include "pairs.h"

/// The messages of one pair, until its sender marks one as the last.
struct flow {
  struct pair pair;
  char* buffer;
  int bytes;
  bool crowded;  ///< waiting ranks must leave their cores to others
};

/// Sends messages as fast as possible for this number of ns; returns the bytes per second of the
/// median slice.
double flow_peak(const struct flow* flow, int64_t ns);

/// The condition on which a sender ends: `at` or a request to stop for rank 0, and rank 0's message
/// for the others.
struct ending {
  MPI_Request told;  ///< rank 0's message to the others
  int64_t at;        ///< on this rank's clock, for rank 0; INT64_MAX means never
  int rank;
};

/// Algorithm 3 of Underwood et al. 2018: a leaky bucket of time, from which each message takes an
/// exponential delay with this `mean`. Calls `flowing` once per second, from the first message on,
/// with the number of messages sent, and the time.
struct sent {
  int64_t messages, ns;
};
struct sent flow_send(const struct flow* flow, double mean, struct mt19937* random,
                      struct ending* ending, void (*flowing)(const struct sent* so_far));

/// The receiver's end of flow_peak or flow_send; returns the received bytes and the time from the
/// first to the last message.
struct received {
  int64_t bytes, ns;
};
struct received flow_receive(const struct flow* flow);

#endif
