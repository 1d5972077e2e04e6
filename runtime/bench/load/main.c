// Congestion: pairs of ranks that keep a share of the one-way bandwidth between them busy; after
// Underwood, Anderson and Apon, ICPE'18, section 5.1.
//
//     load out=DIRECTORY share=0.5 bytes=262144 for_ns=1e10 …
//
// Runs until the time is over or a stop is requested. Series, by rank: partner (-1: none), whether
// it sends, peak (bytes/s, senders only), messages, seconds, bytes/s (for receivers: as they
// arrived), and duration.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../common/clock.h"
#include "../common/job.h"
#include "../common/options.h"
#include "../common/results.h"
#include "../common/stop.h"
#include "../common/waiting.h"
#include "flow.h"

enum { SECOND = 1000000000 };

static struct {
  const char* out;
  double pin, share, bytes, seed, for_ns, peak, peak_ns, beside;
} wanted = {.out = ".", .share = 0.5, .bytes = 262144, .seed = 1, .peak_ns = 1e9};

static struct job job;
static double mean_ns;

/// Rank 0 reports to the waiting process that the load flows, and how strong it is.
static void tell(const struct sent* so_far) {
  if (job.rank != 0) return;
  bench_results_text("flowing", "%.1f %.4f", (double)so_far->ns / SECOND,
                     (double)so_far->messages * mean_ns / (double)so_far->ns);
  bench_results_flush();
}

static double peak_of(const struct flow* flow) {
  if (wanted.peak > 0) return flow->pair.sends ? wanted.peak : 0;
  MUST(MPI_Barrier(MPI_COMM_WORLD));
  if (flow->pair.receives) flow_receive(flow);
  return flow->pair.sends ? flow_peak(flow, (int64_t)wanted.peak_ns) : 0;
}

static void run(const struct flow* flow, double peak) {
  int word = 0;
  struct ending ending = {.at = INT64_MAX, .rank = job.rank, .told = MPI_REQUEST_NULL};
  struct mt19937 random;
  mt19937_seed(&random, (uint32_t)wanted.seed + (uint32_t)job.rank);
  mean_ns = peak > 0 ? wanted.bytes / (wanted.share * peak) * SECOND : 0;
  double found[] = {flow->pair.partner, flow->pair.sends, peak, 0, 0, 0};
  MUST(MPI_Barrier(MPI_COMM_WORLD));
  if (job.rank != 0) {
    MUST(MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &ending.told));
  } else if (wanted.for_ns > 0) {
    ending.at = now_ns() + (int64_t)wanted.for_ns;
  }
  if (flow->pair.sends) {
    const struct sent sent = flow_send(flow, mean_ns, &random, &ending, tell);
    found[3] = (double)sent.messages;
    found[4] = (double)sent.ns / SECOND;
    found[5] = (double)sent.messages * wanted.bytes / found[4];
  } else if (flow->pair.receives) {
    const struct received received = flow_receive(flow);
    found[3] = (double)received.bytes / wanted.bytes;
    found[4] = (double)received.ns / SECOND;
    found[5] = received.ns > 0 ? (double)received.bytes / found[4] : 0;
  }
  if (job.rank == 0) MUST(MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &ending.told));
  bench_wait_for(&ending.told, flow->crowded ? BENCH_NAP_NS : 0);
  bench_results_gather(MPI_COMM_WORLD, found, sizeof found / sizeof *found, "flow");
}

int main(int count, char** arguments) {
  job = bench_begin(&count, &arguments);
  bench_options(count, arguments,
                (struct option_word[]){{"out", NULL, &wanted.out},
                                       {"pin", &wanted.pin, NULL},
                                       {"share", &wanted.share, NULL},
                                       {"bytes", &wanted.bytes, NULL},
                                       {"seed", &wanted.seed, NULL},
                                       {"for_ns", &wanted.for_ns, NULL},
                                       {"peak", &wanted.peak, NULL},
                                       {"peak_ns", &wanted.peak_ns, NULL},
                                       {"beside", &wanted.beside, NULL},
                                       {0}});
  if (job.ranks < 2) bench_fail("two ranks or more are needed");
  bench_stop_listen(job.rank == 0);
  const int core = wanted.pin != 0 ? bench_pin(&job) : -1;
  const struct flow flow = {.pair = pair_of(&job, job.rank),
                            .buffer = bench_allocate((size_t)wanted.bytes, 1),
                            .bytes = (int)wanted.bytes,
                            .crowded = bench_crowded(&job, wanted.beside != 0)};
  memset(flow.buffer, 1, (size_t)wanted.bytes);
  bench_results_open(wanted.out, "load");
  bench_results_job(&job, core);
  if (job.rank == 0) bench_results_text("crowded", "%d", flow.crowded);
  const double peak = peak_of(&flow);
  run(&flow, peak);
  bench_results_close();
  free(flow.buffer);
  bench_end(&job);
  return 0;
}
