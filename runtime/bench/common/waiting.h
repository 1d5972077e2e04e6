#ifndef LATITUDE_BENCH_WAITING_H
#define LATITUDE_BENCH_WAITING_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "job.h"

/// Whether a node of the job has fewer cores than ranks, so that waiting ranks must leave their
/// cores to others. `beside`: a second job with as many ranks runs on the nodes. All ranks must
/// call this function; all get the same answer.
bool bench_crowded(const struct job* job, bool beside);

/// Waits until CLOCK_MONOTONIC reaches `moment`: polls the clock; if crowded, sleeps most of the
/// time.
void bench_wait_until(int64_t moment, bool crowded);

enum { BENCH_NAP_NS = 20000 };  ///< approximately the shortest sleep

/// Completes `request`; sleeps for `nap_ns` between polls; 0: polls all the time.
void bench_wait_for(MPI_Request* request, int64_t nap_ns);

/// A barrier over all ranks that waits as bench_wait_for does.
void bench_meet(int64_t nap_ns);

/// Leaves the core to others for one short sleep.
void bench_nap(void);

#endif
