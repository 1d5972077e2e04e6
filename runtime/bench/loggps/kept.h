#ifndef LATITUDE_BENCH_KEPT_H
#define LATITUDE_BENCH_KEPT_H

#include "pairs.h"
#include "plan.h"

/// Keeps the results of the leader of a pair, until all pairs are done.
void kept_add(const struct job* job, struct pair pair, const struct plan* plan);

/// Sends the results of all leaders to rank 0, which writes them as series:
///     pair  a=A b=B inside=0|1                  seconds, rounds, tests that stayed imprecise, and
///                                               the eager limits of Send, Isend and Start
///     rounds  a=A b=B of=ping|… bytes=…        values of each round of the series that follows
///     ping | stream | sends | recvs | held  a=A b=B bytes=… messages=… pause_ns=…      the values,
///     ns
/// Called by all ranks.
void kept_write(const struct job* job);

#endif
