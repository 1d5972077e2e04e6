#ifndef LATITUDE_BENCH_WAITING_H
#define LATITUDE_BENCH_WAITING_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "job.h"

/// Whether a node of the job has fewer cores than ranks, so that who waits must leave its core to
/// others; `beside` when a second job of that many ranks runs there. Called by all ranks, who get
/// the same answer.
bool bench_crowded(const struct job* job, bool beside);

/// Until CLOCK_MONOTONIC reaches `moment`: looks at the clock; sleeps most of the time, if crowded.
void bench_wait_until(int64_t moment, bool crowded);

enum { BENCH_NAP_NS = 20000 };  ///< about the least time a sleep takes

/// Completes `request`; sleeps for `nap_ns` between looks, 0: looks all the time.
void bench_wait_for(MPI_Request* request, int64_t nap_ns);

/// Meets all ranks, waiting for them in the same way.
void bench_meet(int64_t nap_ns);

/// Leaves the core to others for a nap.
void bench_nap(void);

#endif
