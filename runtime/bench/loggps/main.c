// The program of `latitude measure loggps`: the exchanges of pairs of ranks, one pair after the
// other.
//
//     loggps out=DIRECTORY pairs=N [between=A-B,…] seed=N most=BYTES size=BYTES quantile=SHARE
//            precision=SHARE rounds=N seconds=S pin=0|1 cold=0|1
#include <stdio.h>
#include <stdlib.h>

#include "../common/clock.h"
#include "../common/job.h"
#include "../common/options.h"
#include "../common/results.h"
#include "../common/waiting.h"
#include "exchange.h"
#include "kept.h"
#include "pairs.h"
#include "plan.h"

/// Pause between two polls for the other rank: the core must not be kept busy, because another pair
/// may measure on it.
enum { TURN_NS = 200000 };

static void lead(const struct job* job, const struct wishes* wishes, struct pair pair,
                 struct buffer* buffer) {
  struct plan plan = plan_measured(wishes, pair.other, buffer);
  kept_add(job, pair, &plan);
  plan_free(&plan);
}

static void measure(const struct job* job, const struct wishes* wishes, struct pair pair) {
  if (job->rank != pair.leader && job->rank != pair.other) return;
  const int64_t most = wishes->most_bytes > wishes->size ? wishes->most_bytes : wishes->size;
  struct buffer buffer = buffer_made(most, wishes->cold);
  if (job->rank == pair.leader) {
    lead(job, wishes, pair, &buffer);
  } else {
    exchange_follow(pair.leader, &buffer);
  }
  buffer_free(&buffer);
}

int main(int count, char** arguments) {
  struct job job = bench_begin(&count, &arguments);
  const char* directory = ".";
  const char* between = NULL;
  double pairs = 4, seed = 1, pin = 1, most = 1 << 20, size = 0, quantile = 0.5, precision = 0.02,
         seconds = 30, cold = 0, rounds = 5;
  bench_options(count, arguments,
                (struct option_word[]){{"out", NULL, &directory},
                                       {"pairs", &pairs, NULL},
                                       {"between", NULL, &between},
                                       {"seed", &seed, NULL},
                                       {"most", &most, NULL},
                                       {"size", &size, NULL},
                                       {"quantile", &quantile, NULL},
                                       {"precision", &precision, NULL},
                                       {"seconds", &seconds, NULL},
                                       {"pin", &pin, NULL},
                                       {"cold", &cold, NULL},
                                       {"rounds", &rounds, NULL},
                                       {0}});
  if (job.ranks < 2) bench_fail("two ranks or more are needed");
  const int core = pin != 0 ? bench_pin(&job) : -1;
  bench_results_open(directory, "loggps");
  bench_results_job(&job, core);

  size_t chosen;
  struct pair* list = between ? pairs_listed(&job, between, &chosen)
                              : pairs_chosen(&job, (size_t)pairs, (uint64_t)seed, &chosen);
  const struct wishes wishes = {
      .most_bytes = (int64_t)most,
      .size = (int64_t)size,
      .quantile = quantile,
      .precision = precision,
      .cold = cold != 0,
      .least_rounds = (int)rounds,
      .budget_ns = seconds * 1e9 / (double)chosen,
  };
  exchange_clock_ns = bench_clock_cost_ns();
  for (size_t i = 0; i < chosen; ++i) {
    bench_meet(TURN_NS);
    measure(&job, &wishes, list[i]);
  }
  bench_meet(TURN_NS);
  kept_write(&job);
  bench_results_close();
  free(list);
  bench_end(&job);
  return 0;
}
