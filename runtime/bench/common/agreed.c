#include "agreed.h"

#include <math.h>
#include <string.h>

#include "clock.h"

enum { ASK = 71, ANSWER = 72, LEAST_POINTS = 3, FIRST_POINTS = 10, FIRST_EXCHANGES = 50 };
static const int64_t BETWEEN_NS = 5000000;
static const double LEAST_SPAN_NS = 2e7;  ///< for shorter times a line's slope is noise

void agreed_open(struct agreed_clock* clock, const struct job* job, bool each) {
  memset(clock, 0, sizeof *clock);
  const int colour = each ? job->rank : job->node[job->rank];
  MUST(MPI_Comm_split(MPI_COMM_WORLD, colour, job->rank, &clock->sharing));
  int place;
  MUST(MPI_Comm_rank(clock->sharing, &place));
  const int leads = place == 0 ? 0 : MPI_UNDEFINED;
  MUST(MPI_Comm_split(MPI_COMM_WORLD, leads, job->rank, &clock->leaders));
  clock->epoch = now_ns();
  MUST(MPI_Bcast(&clock->epoch, 1, MPI_INT64_T, 0, clock->sharing));
}

void agreed_begin(struct agreed_clock* clock) {
  int clocks = 1;
  if (clock->leaders != MPI_COMM_NULL) MUST(MPI_Comm_size(clock->leaders, &clocks));
  MUST(MPI_Bcast(&clocks, 1, MPI_INT, 0, clock->sharing));
  for (int point = 0; clocks > 1 && point < FIRST_POINTS; ++point) {
    if (point > 0) wait_until(now_ns() + BETWEEN_NS);
    agreed_meet(clock, FIRST_EXCHANGES);
  }
}

void agreed_close(struct agreed_clock* clock) {
  if (clock->leaders != MPI_COMM_NULL) MUST(MPI_Comm_free(&clock->leaders));
  MUST(MPI_Comm_free(&clock->sharing));
}

static double own_time(const struct agreed_clock* clock) {
  return (double)(now_ns() - clock->epoch);
}

static double offset_at(const struct agreed_clock* clock, double own) {
  return clock->base + clock->slope * (own - clock->middle);
}

static void answer(const struct agreed_clock* clock, int whom, int exchanges) {
  for (int i = 0; i < exchanges; ++i) {
    char asked;
    MUST(MPI_Recv(&asked, 1, MPI_CHAR, whom, ASK, clock->leaders, MPI_STATUS_IGNORE));
    const double own = own_time(clock);
    const double told[] = {own + offset_at(clock, own), clock->bound};
    MUST(MPI_Send(told, 2, MPI_DOUBLE, whom, ANSWER, clock->leaders));
  }
}

static void keep(struct agreed_clock* clock, double at, double offset, double error) {
  if (clock->points == AGREED_POINTS) {
    const size_t kept = (AGREED_POINTS - 1) * sizeof(double);
    memmove(clock->at, clock->at + 1, kept);
    memmove(clock->offset, clock->offset + 1, kept);
    memmove(clock->error, clock->error + 1, kept);
    --clock->points;
  }
  clock->at[clock->points] = at;
  clock->offset[clock->points] = offset;
  clock->error[clock->points] = error;
  ++clock->points;
}

static void ask(struct agreed_clock* clock, int whom, int exchanges) {
  double least = INFINITY, at = 0, offset = 0, error = 0;
  for (int i = 0; i < exchanges; ++i) {
    const char asked = 0;
    double told[2];
    const double sent = own_time(clock);
    MUST(MPI_Send(&asked, 1, MPI_CHAR, whom, ASK, clock->leaders));
    MUST(MPI_Recv(told, 2, MPI_DOUBLE, whom, ANSWER, clock->leaders, MPI_STATUS_IGNORE));
    const double trip = own_time(clock) - sent;
    if (trip >= least) continue;
    least = trip;
    at = sent + trip / 2;
    offset = told[0] - at;
    error = trip / 2 + told[1];
  }
  keep(clock, at, offset, error);
}

/// Fits the line by least squares, each point weighted by its error's inverse square.
static void fit(struct agreed_clock* clock) {
  const int n = clock->points;
  double weight = 0, at = 0, offset = 0, both = 0, square = 0;
  for (int i = 0; i < n; ++i) {
    const double w = 1 / (clock->error[i] * clock->error[i]);
    weight += w;
    at += w * clock->at[i];
    offset += w * clock->offset[i];
  }
  clock->middle = at / weight;
  clock->base = offset / weight;
  clock->slope = 0;
  if (n >= LEAST_POINTS && clock->at[n - 1] - clock->at[0] >= LEAST_SPAN_NS) {
    for (int i = 0; i < n; ++i) {
      const double w = 1 / (clock->error[i] * clock->error[i]);
      const double x = clock->at[i] - clock->middle;
      both += w * x * (clock->offset[i] - clock->base);
      square += w * x * x;
    }
    clock->slope = both / square;
  }
  double least = INFINITY;
  for (int i = 0; i < n; ++i) {
    if (clock->error[i] >= least) continue;
    least = clock->error[i];
    clock->bound = least + fabs(clock->offset[i] - offset_at(clock, clock->at[i]));
  }
}

/// Measures from the root of a binomial tree down: a rank that answers already has its own line.
static void meet_leaders(struct agreed_clock* clock, int exchanges) {
  int rank, ranks, step = 1;
  MUST(MPI_Comm_rank(clock->leaders, &rank));
  MUST(MPI_Comm_size(clock->leaders, &ranks));
  while (step < ranks) step *= 2;
  for (step /= 2; step >= 1; step /= 2) {
    if (rank % (2 * step) == 0 && rank + step < ranks) {
      answer(clock, rank + step, exchanges);
    } else if (rank % (2 * step) == step) {
      ask(clock, rank - step, exchanges);
      fit(clock);
    }
  }
}

void agreed_meet(struct agreed_clock* clock, int exchanges) {
  if (clock->leaders != MPI_COMM_NULL) meet_leaders(clock, exchanges);
  double line[] = {clock->middle, clock->base, clock->slope, clock->bound};
  MUST(MPI_Bcast(line, 4, MPI_DOUBLE, 0, clock->sharing));
  clock->middle = line[0];
  clock->base = line[1];
  clock->slope = line[2];
  clock->bound = line[3];
}

int64_t agreed_time(const struct agreed_clock* clock, int64_t own) {
  const int64_t since = own - clock->epoch;
  return since + llround(offset_at(clock, (double)since));
}

int64_t agreed_own(const struct agreed_clock* clock, int64_t agreed) {
  // agreed = t + base + slope (t - middle), solved for t.
  const double shifted = (double)agreed - clock->base + clock->slope * clock->middle;
  return clock->epoch + llround(shifted / (1 + clock->slope));
}
