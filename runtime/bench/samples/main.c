// Latency of every iteration of an operation, begun on all ranks at agreed times.
//
//     samples out=DIRECTORY operation=bcast sizes=4,1024 iterations=1000 …
//
// For each size and block of iterations a series of 5 numbers per iteration, in ns: its planned
// start (since the start of the measurement), the lateness of the last rank to start, the time
// between the first and the last start, the latency, and the rank that ended last.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/agreed.h"
#include "../common/clock.h"
#include "../common/job.h"
#include "../common/options.h"
#include "../common/results.h"
#include "../common/stop.h"
#include "../common/waiting.h"
#include "block.h"
#include "operations.h"
#include "precision.h"

enum { COLUMNS = 5, LEAST_WINDOWS = 2, EARLY_NS = 50000 };
static const double BLOCK_NS = 2.5e8;  ///< time between two writes of results, and two checks for a
                                       ///< stop
static const double MOST_IN_BLOCK = 2000;

static struct {
  const char *out, *operation, *sizes;
  double pin, iterations, warmup, interval, precision, at_most, each_rank, each_clock, beside;
  double first, second;
} wanted = {.out = ".",
            .operation = "barrier",
            .sizes = "0",
            .pin = 1,
            .iterations = 1000,
            .warmup = 100,
            .interval = 1e6,
            .at_most = 6e10,
            .second = 1};

/// Rank 0's decisions before each block.
struct plan {
  struct block block;
  int64_t stop;
};

/// One operation at one size.
struct measurement {
  const struct operation* operation;
  size_t bytes;
  int64_t warm, timed;  ///< iterations done
  int64_t begun;
  double window;
  double* latencies;  ///< latencies of timed iterations, on rank 0
};

static struct job job;
static struct crew crew;
static int64_t origin;  ///< start of the measurement, on the agreed clock

static bool precise(const struct measurement* m) {
  const size_t count = (size_t)m->timed;
  double* const sorted = bench_allocate(count, sizeof *sorted);
  memcpy(sorted, m->latencies, count * sizeof *sorted);
  const double precision = median_precision(sorted, count);
  free(sorted);
  return precision <= wanted.precision;
}

static bool enough(const struct measurement* m) {
  if (m->warm < (int64_t)wanted.warmup || m->timed < (int64_t)wanted.iterations) return false;
  if (wanted.precision <= 0) return true;
  return (double)(now_ns() - m->begun) >= wanted.at_most || precise(m);
}

/// Ranks need a moment to receive the message about the next block.
static int64_t lead(void) { return crew.crowded ? 5000000 : 500000 + 2000 * (int64_t)job.ranks; }

static struct plan next_plan(const struct measurement* m) {
  struct plan plan = {.stop = bench_stop_asked() ? 2 : enough(m)};
  const bool warming = m->warm < (int64_t)wanted.warmup;
  double left = warming ? wanted.warmup - (double)m->warm : wanted.iterations - (double)m->timed;
  const double most = fmax(1, fmin(MOST_IN_BLOCK, BLOCK_NS / m->window));
  if (left < 1) left = most;
  plan.block.count = (int64_t)fmin(left, most);
  plan.block.window = (int64_t)m->window;
  plan.block.base = agreed_time(&crew.clock, now_ns()) + lead();
  return plan;
}

/// After warm-up, makes the windows long enough for nine of ten iterations.
static void widen(struct measurement* m, const double* rows, int64_t count) {
  double* const took = bench_allocate((size_t)count, sizeof *took);
  for (int64_t i = 0; i < count; ++i) took[i] = rows[i * COLUMNS + 3];
  median_precision(took, (size_t)count);
  m->window = fmax(m->window, LEAST_WINDOWS * took[count * 9 / 10]);
  free(took);
}

static void write_block(struct measurement* m, const struct block* block,
                        const struct outcome* outcomes, bool warming, double error) {
  const bool pingpong = strcmp(wanted.operation, "pingpong") == 0;
  double* const rows = bench_allocate((size_t)block->count * COLUMNS, sizeof *rows);
  for (int64_t i = 0; i < block->count; ++i) {
    const struct outcome* o = &outcomes[i];
    const double start = (double)(i * block->window);
    double* row = rows + i * COLUMNS;
    row[0] = (double)(block->base - origin) + start;
    row[1] = o->late - start;
    row[2] = o->skew;
    row[3] = o->latency / (pingpong ? 2 : 1);
    row[4] = o->slowest;
    if (!warming) m->latencies[m->timed + i] = row[3];
  }
  bench_results_series(rows, (size_t)(block->count * COLUMNS),
                       "iterations bytes=%zu warmup=%d window_ns=%lld clock_error_ns=%.0f",
                       m->bytes, warming, (long long)block->window, error);
  bench_results_flush();
  if (warming) widen(m, rows, block->count);
  free(rows);
}

static void write_ranks(const struct measurement* m, int64_t count, const struct span* spans,
                        bool warming) {
  double* const own = bench_allocate((size_t)count, sizeof *own);
  // A rank that arrived early waited in the operation; a span leaves this wait out.
  for (int64_t i = 0; i < count; ++i) own[i] = spans[i].end - spans[i].begin + (double)crew.early;
  bench_results_gather(MPI_COMM_WORLD, own, crew.runs ? (int)count : 0,
                       "rank_latency_ns bytes=%zu warmup=%d", m->bytes, warming);
  free(own);
}

/// Measures one size; returns whether to continue with the next one.
static bool run_size(const struct operation* operation, size_t bytes) {
  struct measurement m = {
      .operation = operation, .bytes = bytes, .begun = now_ns(), .window = wanted.interval};
  operations_prepare(operation, bytes);
  struct plan plan;
  for (;;) {
    if (job.rank == 0) plan = next_plan(&m);
    MUST(MPI_Bcast(&plan, (int)sizeof plan, MPI_BYTE, 0, MPI_COMM_WORLD));
    if (plan.stop) break;
    const size_t count = (size_t)plan.block.count;
    const bool warming = m.warm < (int64_t)wanted.warmup;
    struct span* const spans = bench_allocate(count, sizeof *spans);
    struct outcome* const outcomes = bench_allocate(count, sizeof *outcomes);
    block_run(&plan.block, &crew, operation, bytes, spans);
    block_reduce(&crew, plan.block.count, spans, outcomes);
    double error = crew.clock.bound, worst = 0;
    MUST(MPI_Reduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD));
    if (job.rank == 0) {
      m.latencies = realloc(m.latencies, ((size_t)m.timed + count) * sizeof *m.latencies);
      if (!m.latencies) bench_fail("no memory for %lld latencies", (long long)m.timed);
      write_block(&m, &plan.block, outcomes, warming, worst);
    }
    if (wanted.each_rank != 0) write_ranks(&m, plan.block.count, spans, warming);
    *(warming ? &m.warm : &m.timed) += plan.block.count;
    free(spans);
    free(outcomes);
  }
  free(m.latencies);
  operations_end();
  return plan.stop == 1;
}

static void read_options(int count, char** arguments) {
  bench_options(count, arguments,
                (struct option_word[]){{"out", NULL, &wanted.out},
                                       {"pin", &wanted.pin, NULL},
                                       {"operation", NULL, &wanted.operation},
                                       {"sizes", NULL, &wanted.sizes},
                                       {"iterations", &wanted.iterations, NULL},
                                       {"warmup", &wanted.warmup, NULL},
                                       {"interval_ns", &wanted.interval, NULL},
                                       {"precision", &wanted.precision, NULL},
                                       {"at_most_ns", &wanted.at_most, NULL},
                                       {"each_rank", &wanted.each_rank, NULL},
                                       {"each_clock", &wanted.each_clock, NULL},
                                       {"beside", &wanted.beside, NULL},
                                       {"first", &wanted.first, NULL},
                                       {"second", &wanted.second, NULL},
                                       {0}});
}

static void form_crew(bool pingpong) {
  const int first = (int)wanted.first, second = (int)wanted.second;
  if (job.ranks < 2) bench_fail("two ranks or more are needed");
  if (pingpong && (first == second || first >= job.ranks || second >= job.ranks)) {
    bench_fail("ranks %d and %d are no pair of %d ranks", first, second, job.ranks);
  }
  pingpong_between(first, second);
  crew.crowded = bench_crowded(&job, wanted.beside != 0);
  crew.times = !pingpong || job.rank == first;
  crew.early = crew.times ? 0 : (int64_t)fmin(EARLY_NS, wanted.interval / 2);
  crew.runs = !pingpong || job.rank == first || job.rank == second;
  agreed_open(&crew.clock, &job, wanted.each_clock != 0);
  agreed_begin(&crew.clock);
}

int main(int count, char** arguments) {
  job = bench_begin(&count, &arguments);
  read_options(count, arguments);
  const struct operation* operation = operation_named(wanted.operation);
  if (!operation) bench_fail("no operation is named '%s'", wanted.operation);
  bench_stop_listen(job.rank == 0);
  const int core = wanted.pin != 0 ? bench_pin(&job) : -1;
  form_crew(strcmp(wanted.operation, "pingpong") == 0);
  bench_results_open(wanted.out, "samples");
  bench_results_job(&job, core);
  origin = agreed_time(&crew.clock, now_ns());
  if (job.rank == 0) {
    const struct timespec date = lat_date();
    bench_results_text("began", "%lld.%06ld", (long long)date.tv_sec, date.tv_nsec / 1000);
    bench_results_text("operation", "%s", wanted.operation);
    bench_results_text("crowded", "%d", crew.crowded);
  }
  const char* size = wanted.sizes;
  bool more = true;
  while (more && *size) {
    char* end;
    const size_t bytes = strtoull(size, &end, 10);
    more = run_size(operation, bytes);
    size = *end == ',' ? end + 1 : "";
  }
  if (job.rank == 0) bench_results_text("interrupted", "%d", !more);
  bench_results_close();
  agreed_close(&crew.clock);
  bench_end(&job);
  return 0;
}
