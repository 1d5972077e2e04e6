#define _GNU_SOURCE
#include "kept.h"

#include <stdio.h>
#include <stdlib.h>

#include "../common/results.h"

enum { HEAD = 256, COUNTS = 100, HEADS, VALUES };

struct kept {
  char head[HEAD];
  double* values;
  size_t count;
};

static struct kept* all;
static size_t held;

static struct kept* append(const double* values, size_t count) {
  all = realloc(all, (held + 1) * sizeof *all);
  if (!all) bench_fail("no memory for %zu series", held + 1);
  struct kept* kept = &all[held++];
  *kept = (struct kept){.values = bench_allocate(count, sizeof *values), .count = count};
  for (size_t i = 0; i < count; ++i) kept->values[i] = values[i];
  return kept;
}

void kept_add(const struct job* job, struct pair pair, const struct plan* plan) {
  static const char* const names[] = {"ping", "stream", "sends", "recvs", "held"};
  const double summary[] = {plan->seconds,
                            plan->rounds,
                            (double)plan->imprecise,
                            (double)plan->eager,
                            (double)plan->eager_isend,
                            (double)plan->eager_start};
  const int a = pair.leader, b = pair.other;
  snprintf(append(summary, sizeof summary / sizeof *summary)->head, HEAD,
           "pair a=%d b=%d inside=%d", a, b, job->node[a] == job->node[b]);
  for (size_t i = 0; i < plan->count; ++i) {
    const struct test* test = &plan->tests[i];
    snprintf(append(test->rounds, test->rounds_count)->head, HEAD,
             "rounds a=%d b=%d of=%s bytes=%lld", a, b, names[test->what.pattern],
             (long long)test->what.bytes);
    snprintf(append(test->values, test->count)->head, HEAD,
             "%s a=%d b=%d bytes=%lld messages=%lld pause_ns=%lld", names[test->what.pattern], a, b,
             (long long)test->what.bytes, (long long)test->what.messages,
             (long long)test->what.pause_ns);
  }
}

static void send_all(void) {
  const int series = (int)held;
  MUST(MPI_Send(&series, 1, MPI_INT, 0, COUNTS, MPI_COMM_WORLD));
  for (size_t i = 0; i < held; ++i) {
    MUST(MPI_Send(all[i].head, HEAD, MPI_CHAR, 0, HEADS, MPI_COMM_WORLD));
    MUST(MPI_Send(all[i].values, (int)all[i].count, MPI_DOUBLE, 0, VALUES, MPI_COMM_WORLD));
  }
}

static void receive_all(int from) {
  int series;
  MUST(MPI_Recv(&series, 1, MPI_INT, from, COUNTS, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < series; ++i) {
    char head[HEAD];
    MPI_Status status;
    int count;
    MUST(MPI_Recv(head, HEAD, MPI_CHAR, from, HEADS, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MUST(MPI_Probe(from, VALUES, MPI_COMM_WORLD, &status));
    MUST(MPI_Get_count(&status, MPI_DOUBLE, &count));
    double* values = bench_allocate((size_t)count, sizeof *values);
    MUST(MPI_Recv(values, count, MPI_DOUBLE, from, VALUES, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    bench_results_series(values, (size_t)count, "%s", head);
    free(values);
  }
}

void kept_write(const struct job* job) {
  if (job->rank != 0) {
    send_all();
  } else {
    for (size_t i = 0; i < held; ++i) {
      bench_results_series(all[i].values, all[i].count, "%s", all[i].head);
    }
    for (int from = 1; from < job->ranks; ++from) receive_all(from);
  }
  for (size_t i = 0; i < held; ++i) free(all[i].values);
  free(all);
}
