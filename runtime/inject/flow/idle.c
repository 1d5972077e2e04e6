// Waiting without a core. An MPI library spins while it waits; ranks that share cores then keep
// each other from running, and messages are found late. Where a host has more ranks than cores, a
// rank that looks in vain sleeps until a message comes or is due.
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "../clock.h"
#include "../original.h"
#include "../settings.h"
#include "flow.h"

typedef uct_status descriptor_function(struct uct_iface* iface, int* descriptor);

/// Rounds in vain before the first sleep: what UCP does in several rounds gets done.
enum { PATIENCE = 8 };
/// More processor time than this between two rounds is the program's: it tests now and then.
static const uint64_t COMPUTED_NS = 20000;
/// Sleeps double from the first to the last, should something other than a message be waited for.
static const uint64_t SHORTEST_NS = 50000, LONGEST_NS = 2000000;
/// Waking up takes about this.
static const uint64_t EARLY_NS = 4000;

static bool mixed;

static bool crowded(void) { return lat_local_ranks() > sysconf(_SC_NPROCESSORS_ONLN); }

void lat_idle_not_alone(void) { __atomic_store_n(&mixed, true, __ATOMIC_RELAXED); }

void lat_idle_watch(struct lat_idle* idle, struct uct_iface* iface, const char* transport) {
  static descriptor_function* original;
  idle->on = crowded();
  if (!idle->on || idle->blind) return;
  lat_find((void**)&original, "uct_iface_event_fd_get", "libuct");
  int descriptor = -1;
  // TCP's descriptor is readable for as long as something is there to read. Others must be armed,
  // and not all of them can be.
  idle->blind = strcmp(transport, "tcp") != 0 || idle->watched == LAT_MOST_WATCHED ||
                original(iface, &descriptor) != UCT_OK;
  if (!idle->blind) {
    idle->descriptors[idle->watched++] = (struct pollfd){.fd = descriptor, .events = POLLIN};
  }
}

static uint64_t processor_ns(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/// Until a message comes, at most for `ns`.
static void sleep_for(struct lat_idle* idle, uint64_t ns) {
  const struct timespec most = {.tv_sec = (time_t)(ns / 1000000000u),
                                .tv_nsec = (long)(ns % 1000000000u)};
  const int slack = prctl(PR_GET_TIMERSLACK);
  prctl(PR_SET_TIMERSLACK, 1UL);
  ppoll(idle->descriptors, idle->watched, &most, NULL);
  if (slack > 0) prctl(PR_SET_TIMERSLACK, (unsigned long)slack);
}

void lat_idle_round(struct lat_idle* idle, bool found, uint64_t now, uint64_t due) {
  if (!idle->on) return;
  const uint64_t used = processor_ns();
  if (found || used > idle->used + COMPUTED_NS) idle->rounds = 0;
  idle->used = used;
  if (++idle->rounds <= PATIENCE) return;
  if (idle->blind || __atomic_load_n(&mixed, __ATOMIC_RELAXED)) {
    sched_yield();
    return;
  }
  const uint32_t doubled = idle->rounds - PATIENCE - 1;
  uint64_t ns = doubled < 6 ? SHORTEST_NS << doubled : LONGEST_NS;
  if (ns > LONGEST_NS) ns = LONGEST_NS;
  if (due < now + EARLY_NS) return;
  if (ns > due - now - EARLY_NS) ns = due - now - EARLY_NS;
  sleep_for(idle, ns);
  idle->used = processor_ns();
}
