#define _GNU_SOURCE
#include "virtual_clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "../clock.h"

enum {
  STACK = 8 << 20,
  BOOTED = 1000000000,
  MOST_DESCRIPTORS = 64,
  MOST_LOOKS = 1000000,
  MOST_STEPS = 100000000,
  NAME = 64
};
static const uint64_t NEVER = UINT64_MAX;

struct rank {
  ucontext_t context;
  uint64_t at;   // time at which it continues
  bool waiting;  // the rank may be woken earlier
  char host[NAME];
  int64_t ahead_ns;
  double fast_ns_per_s;
  uint64_t away_ns;    // without a processor
  uint64_t waited_ns;  // without a processor but ready to run, as the kernel counts
  uint64_t sleeps;
};

void (*virtual_switched)(int rank);
uint64_t virtual_look_ns, virtual_oversleep_ns;
bool virtual_counts_waiting = true;
double lat_ticks_per_ns = 1;

static struct rank ranks[VIRTUAL_MOST_RANKS];
static int rank_count, running;
static ucontext_t outside;
static void (*rank_body)(int rank);
static uint64_t ready_from[MOST_DESCRIPTORS];
static unsigned looks;  // since the last advance of time
static unsigned steps;  // in which time advanced

_Noreturn static void fail(const char* why) {
  fprintf(stderr, "virtual time: %s\n", why);
  for (int i = 0; i < rank_count; ++i) {
    fprintf(stderr, "rank %d: %s %llu\n", i, ranks[i].waiting ? "waits until" : "is at",
            (unsigned long long)ranks[i].at);
  }
  _Exit(70);
}

// Ranks.

static int earliest(void) {
  int found = running;
  for (int i = 0; i < rank_count; ++i) {
    if (ranks[i].at < ranks[found].at) found = i;
  }
  return found;
}

/// Lets the rank run that is furthest behind.
static void go_on(void) {
  looks = 0;
  if (++steps > MOST_STEPS) fail("there is no end in sight");
  const int next = earliest(), last = running;
  if (ranks[next].at == NEVER) fail("all ranks wait for each other");
  ranks[next].waiting = false;
  if (next == last) return;
  running = next;
  swapcontext(&ranks[last].context, &ranks[next].context);
  if (virtual_switched) virtual_switched(running);
}

static void begin(void) {
  if (virtual_switched) virtual_switched(running);
  rank_body(running);
  ranks[running].at = NEVER;
  for (int i = 0; i < rank_count; ++i) {
    if (ranks[i].at != NEVER || ranks[i].waiting) {
      ranks[running].waiting = false;
      go_on();  // never to come back
    }
  }
  setcontext(&outside);
}

void virtual_run(int count, void (*body)(int rank)) {
  if (count < 1 || count > VIRTUAL_MOST_RANKS) fail("too few or too many ranks");
  rank_count = count;
  rank_body = body;
  running = 0;
  for (int i = 0; i < MOST_DESCRIPTORS; ++i) ready_from[i] = NEVER;
  for (int i = 0; i < count; ++i) {
    struct rank* rank = &ranks[i];
    rank->at = 0;
    getcontext(&rank->context);
    rank->context.uc_stack.ss_sp =
        mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    rank->context.uc_stack.ss_size = STACK;
    makecontext(&rank->context, begin, 0);
  }
  swapcontext(&outside, &ranks[0].context);
  for (int i = 0; i < count; ++i) munmap(ranks[i].context.uc_stack.ss_sp, STACK);
  rank_count = 0;
}

int virtual_rank(void) { return running; }
uint64_t virtual_now(void) { return ranks[running].at; }

void virtual_pass(uint64_t ns) {
  if (ns == 0) return;
  ranks[running].at += ns;
  go_on();
}

void virtual_pass_until(uint64_t moment) {
  if (moment > virtual_now()) virtual_pass(moment - virtual_now());
}

void virtual_wait(uint64_t moment) {
  if (moment <= virtual_now()) return;
  ranks[running].waiting = true;
  ranks[running].at = moment;
  go_on();
}

void virtual_wake(int rank, uint64_t moment) {
  if (ranks[rank].waiting && moment < ranks[rank].at) ranks[rank].at = moment;
}

void virtual_place(int rank, const char* host, int64_t ahead_ns, double fast_ns_per_s) {
  snprintf(ranks[rank].host, NAME, "%s", host);
  ranks[rank].ahead_ns = ahead_ns;
  ranks[rank].fast_ns_per_s = fast_ns_per_s;
}

// What clocks show.

static uint64_t shown_at(uint64_t moment) {
  const struct rank* rank = &ranks[running];
  return BOOTED + moment + (uint64_t)rank->ahead_ns +
         (uint64_t)(int64_t)((double)moment * rank->fast_ns_per_s * 1e-9);
}

/// The first time at which the rank's clock has this value.
static uint64_t moment_of(uint64_t shown) {
  uint64_t moment = virtual_now();
  while (shown_at(moment) < shown) moment += (shown - shown_at(moment) + 1) / 2;
  return moment;
}

static uint64_t look(void) {
  const uint64_t shown = shown_at(virtual_now());
  if (++looks > MOST_LOOKS) fail("somebody looks at the clock for ever: a look must take time");
  virtual_pass(virtual_look_ns);
  return shown;
}

uint64_t lat_now_ns(void) { return look(); }
uint64_t lat_cpu_ns(void) { return look() - ranks[running].away_ns; }

uint64_t lat_waited_ns(void) {
  look();
  return virtual_counts_waiting ? ranks[running].waited_ns : LAT_NOT_KNOWN;
}

struct lat_usage lat_used(void) { return (struct lat_usage){.voluntary = ranks[running].sleeps}; }

void virtual_steal(uint64_t ns) {
  virtual_pass(ns);
  ranks[running].away_ns += ns;
}

void virtual_keep(uint64_t ns) {
  virtual_steal(ns);
  ranks[running].waited_ns += ns;
}

struct timespec lat_date(void) {
  const uint64_t now = look();
  return (struct timespec){.tv_sec = (time_t)(now / 1000000000u),
                           .tv_nsec = (long)(now % 1000000000u)};
}

void lat_clock_name(char* name, size_t room) { snprintf(name, room, "%s", ranks[running].host); }

// Waits.

uint64_t lat_wait_until(uint64_t moment) {
  virtual_pass_until(moment_of(moment));
  return look();
}

void lat_clock_calibrate(void) {}

static uint64_t ticks_at(uint64_t moment) {
  return (uint64_t)((double)shown_at(moment) * lat_ticks_per_ns);
}

uint64_t lat_ticks(void) {
  const uint64_t ticks = ticks_at(virtual_now());
  virtual_pass(virtual_look_ns);
  return ticks;
}

uint64_t lat_busy_wait(uint64_t start, uint64_t ticks) {
  uint64_t moment = virtual_now();
  while (ticks_at(moment) - start < ticks) {
    const double left = (double)(ticks - (ticks_at(moment) - start)) / lat_ticks_per_ns;
    moment += left < 2 ? 1 : (uint64_t)(left / 2);
  }
  virtual_pass_until(moment);
  return lat_ticks() - start;
}

/// Sleeps in one of two ways: nothing ends it early, or any awaited event does.
static void sleep_until(uint64_t moment, void (*wait)(uint64_t moment)) {
  const uint64_t begun = virtual_now();
  wait(moment);
  ranks[running].away_ns += virtual_now() - begun;
  ++ranks[running].sleeps;
}

void lat_sleep(uint64_t ns) {
  sleep_until(virtual_now() + ns + virtual_oversleep_ns, virtual_pass_until);
}

void lat_yield(void) { virtual_pass(virtual_look_ns ? virtual_look_ns : 1); }

int lat_timer_open(void) { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

void virtual_ready(int descriptor, uint64_t moment) {
  ready_from[descriptor] = moment;
  for (int i = 0; i < rank_count; ++i) virtual_wake(i, moment);  // others keep waiting
}

void lat_timer_set(int timer, uint64_t moment) {
  ready_from[timer] = moment_of(moment) + virtual_oversleep_ns;
}

static int count_ready(struct pollfd* descriptors, unsigned count) {
  int found = 0;
  for (unsigned i = 0; i < count; ++i) {
    const bool ready = ready_from[descriptors[i].fd] <= virtual_now();
    descriptors[i].revents = ready ? POLLIN : 0;
    found += ready;
  }
  return found;
}

int lat_poll(struct pollfd* descriptors, unsigned count, uint64_t most_ns) {
  const uint64_t now = virtual_now();
  const uint64_t end = most_ns < NEVER - now - virtual_oversleep_ns
                           ? now + most_ns + (most_ns ? virtual_oversleep_ns : 0)
                           : NEVER;
  int ready = count_ready(descriptors, count);
  while (!ready && virtual_now() < end) {
    uint64_t next = end;
    for (unsigned i = 0; i < count; ++i) {
      if (ready_from[descriptors[i].fd] < next) next = ready_from[descriptors[i].fd];
    }
    sleep_until(next, virtual_wait);
    ready = count_ready(descriptors, count);
  }
  return ready;
}
