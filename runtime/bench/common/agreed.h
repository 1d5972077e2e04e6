#ifndef LATITUDE_BENCH_AGREED_H
#define LATITUDE_BENCH_AGREED_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "job.h"

/// One clock for all ranks, rank 0's clock, as a line over each rank's own clock.
///
/// After Hunold & Carpen-Amarie, "Reproducible MPI Benchmarking Is Still Not as Easy as You Think",
/// IEEE TPDS 27 (2016). Offsets come from the exchange with the least round trip, drift from a line
/// through repeated exchanges. Clocks are compared along a binomial tree, so that n clocks take
/// log2(n) steps. Ranks of a node read one clock.
enum { AGREED_POINTS = 64 };

struct agreed_clock {
  MPI_Comm leaders;  ///< one rank per clock; MPI_COMM_NULL on the others
  MPI_Comm sharing;  ///< the ranks that read this rank's clock; the first of them leads
  int64_t epoch;     ///< value of CLOCK_MONOTONIC at time 0 of the times below
  int points;        ///< number of measured points; the newest are kept
  double at[AGREED_POINTS];
  double offset[AGREED_POINTS];  ///< ns by which the agreed clock is ahead
  double error[AGREED_POINTS];   ///< half the least round trip, plus the error of the answering
                                 ///< rank
  double middle, base, slope;    ///< the line: offset = base + slope (t - middle)
  double bound;                  ///< ns: error of the best point, and its distance from the line
};

/// `each`: the clock of every rank is measured, also of ranks on one node. All ranks must call this
/// function and agreed_meet.
void agreed_open(struct agreed_clock* clock, const struct job* job, bool each);

/// Adds one more point for every clock, and computes the lines again.
void agreed_meet(struct agreed_clock* clock, int exchanges);

/// Measures the first points, over a time long enough to show a drift.
void agreed_begin(struct agreed_clock* clock);

void agreed_close(struct agreed_clock* clock);

/// Converts this rank's CLOCK_MONOTONIC to the agreed clock, ns.
int64_t agreed_time(const struct agreed_clock* clock, int64_t own);

/// Converts the agreed clock to this rank's CLOCK_MONOTONIC, ns.
int64_t agreed_own(const struct agreed_clock* clock, int64_t agreed);

#endif
