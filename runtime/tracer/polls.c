#include <stdlib.h>

#include "tracer.h"

// Programs poll millions of times, and a failed poll is not an event. For each gap the tracer
// stores the number of failed polls, and the time at which the first one had failed. For the run it
// stores the cost of one failed poll, from the times of a sample of polls.

enum { EVERY = 64 };

uint64_t lat_poll_timed(struct thread* t) {
  t->until_timed = EVERY;
  return lat_now_ns();
}

/// Keeps a time. If the room is full, drops every second time, and from now on takes only half as
/// many.
static void keep(struct lat_times* times, uint64_t ns) {
  if (times->skipped++ % times->every != 0) return;
  times->ns[times->count++] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
  if (times->count < LAT_MOST_TIMES) return;
  times->count /= 2;
  for (uint32_t i = 0; i < times->count; ++i) times->ns[i] = times->ns[2 * i];
  times->every *= 2;
}

void lat_poll_noted(struct thread* t, uint64_t begun) {
  const uint64_t now = lat_now_ns();
  if (begun) keep(&t->times, now - begun);
  if (t->failed != 1) return;
  t->first_failed = now;
  if (lat_cpu_clock) t->first_failed_cpu = lat_cpu_ns();
}

static int ascending(const void* a, const void* b) {
  const uint32_t x = *(const uint32_t*)a;
  const uint32_t y = *(const uint32_t*)b;
  return (x > y) - (x < y);
}

static uint32_t median(uint32_t* ns, size_t count) {
  qsort(ns, count, sizeof *ns, ascending);
  return ns[count / 2];
}

/// The time that a clock reading adds to a measured time.
static uint32_t look_ns(void) {
  enum { LOOKS = 101 };
  uint32_t took[LOOKS];
  for (int i = 0; i < LOOKS; ++i) {
    const uint64_t before = lat_now_ns();
    took[i] = (uint32_t)(lat_now_ns() - before);
  }
  return median(took, LOOKS);
}

void lat_polls_write(void) {
  uint32_t* ns = NULL;
  size_t count = 0;
  for (const struct thread* t = lat_threads(); t; t = t->next) {
    if (t->times.count == 0) continue;
    ns = lat_allocate(ns, (count + t->times.count) * sizeof *ns);
    memcpy(ns + count, t->times.ns, t->times.count * sizeof *ns);
    count += t->times.count;
  }
  if (count == 0) return;
  const uint32_t took = median(ns, count);
  const uint32_t look = look_ns();
  free(ns);
  struct lat_bytes b = {0};
  lat_room(&b, LAT_CHUNK_HEADER + LAT_VARINT);
  b.used = LAT_CHUNK_HEADER;
  lat_put(&b, took > look ? took - look : 0);
  lat_file_write(LAT_POLLS, 0, 1, 0, &b);
  free(b.data);
}
