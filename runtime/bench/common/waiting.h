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

/// Completes `request`; sleeps between looks, if crowded.
void bench_wait_for(MPI_Request* request, bool crowded);

/// Leaves the core to others for about the least time a sleep takes.
void bench_nap(void);

#endif
