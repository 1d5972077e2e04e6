#include "flow.h"

#include <stdlib.h>

#include "../common/clock.h"
#include "../common/stop.h"
#include "../common/waiting.h"

enum { DATA = 81, LAST = 82, SLICES = 20, LOOK_NS = 2000000, SECOND = 1000000000 };
static const int64_t PATIENCE_NS = 20000;  ///< a receiver that shares its core polls for this time

static void send_one(const struct flow* flow) {
  MUST(MPI_Send(flow->buffer, flow->bytes, MPI_BYTE, flow->pair.partner, DATA, MPI_COMM_WORLD));
}

static void send_last(const struct flow* flow) {
  MUST(MPI_Send(flow->buffer, 0, MPI_BYTE, flow->pair.partner, LAST, MPI_COMM_WORLD));
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

double flow_peak(const struct flow* flow, int64_t ns) {
  double rates[SLICES];
  for (int slice = 0; slice < SLICES; ++slice) {
    const int64_t begin = now_ns();
    int64_t now = begin, messages = 0;
    for (; now - begin < ns / SLICES; now = now_ns()) {
      send_one(flow);
      ++messages;
    }
    rates[slice] = (double)messages * flow->bytes / (double)(now - begin) * SECOND;
  }
  send_last(flow);
  qsort(rates, SLICES, sizeof *rates, ascending);
  return (rates[SLICES / 2 - 1] + rates[SLICES / 2]) / 2;
}

static bool over(struct ending* ending, int64_t now) {
  int told = 0;
  if (ending->rank == 0) return now >= ending->at || bench_stop_asked();
  MUST(MPI_Test(&ending->told, &told, MPI_STATUS_IGNORE));
  return told;
}

struct sent flow_send(const struct flow* flow, double mean, struct mt19937* random,
                      struct ending* ending, void (*flowing)(const struct sent* so_far)) {
  const int64_t begin = now_ns();
  int64_t last = begin, look = begin + LOOK_NS, second = begin + SECOND;
  struct sent sent = {0};
  double bucket = 0, delay = mt19937_exponential(random, mean);
  for (;;) {
    if (bucket >= delay) {
      send_one(flow);
      ++sent.messages;
      bucket -= delay;
      delay = mt19937_exponential(random, mean);
    } else if (flow->crowded) {
      bench_nap();
    }
    const int64_t now = now_ns();
    bucket += (double)(now - last);
    last = now;
    if (now < look) continue;
    look = now + LOOK_NS;
    sent.ns = now - begin;
    if (now >= second && sent.messages > 0) {
      second += SECOND;
      flowing(&sent);
    }
    if (over(ending, now)) break;
  }
  send_last(flow);
  return sent;
}

/// Waits for a message, and leaves the core to others during the wait.
static void wait_politely(const struct flow* flow) {
  int64_t patience = now_ns() + PATIENCE_NS;
  for (int there = 0; !there;) {
    MUST(MPI_Iprobe(flow->pair.partner, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE));
    if (!there && now_ns() >= patience) bench_nap();
  }
}

struct received flow_receive(const struct flow* flow) {
  struct received received = {0};
  int64_t begin = 0;
  for (;;) {
    MPI_Status status;
    if (flow->crowded) wait_politely(flow);
    MUST(MPI_Recv(flow->buffer, flow->bytes, MPI_BYTE, flow->pair.partner, MPI_ANY_TAG,
                  MPI_COMM_WORLD, &status));
    if (status.MPI_TAG == LAST) return received;
    const int64_t now = now_ns();
    if (begin == 0) {
      begin = now;
    } else {
      received.bytes += flow->bytes;  // bytes that arrived after the first message
      received.ns = now - begin;
    }
  }
}
