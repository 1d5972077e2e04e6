// Waiting without a core. An MPI library polls while it waits; ranks that share cores then keep
// each other from running, and find messages late. If a host has more ranks than cores, a rank
// whose polls find nothing sleeps until a message comes or is due.
#define _GNU_SOURCE
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "../../clock/clock.h"
#include "../../preload/original.h"
#include "../settings.h"
#include "flow.h"

typedef uct_status descriptor_function(struct uct_iface* iface, int* descriptor);

/// Rounds without success before the first sleep, so that work of UCP over several rounds is
/// completed.
enum { PATIENCE = 4 };
/// A rank that polls again only after this time does other work in between, and tests now and then.
static const uint64_t AWAY_NS = 20000;
/// Sleeps double from the first to the last, in case the rank waits for something other than a
/// message.
static const uint64_t SHORTEST_NS = 50000, LONGEST_NS = 2000000;
/// A sleep that ends when a message is due is requested shorter by this time, and by the time by
/// which earlier sleeps lasted too long. On virtual machines timers are tens of microseconds late.
static const uint64_t EARLY_NS = 4000, LATEST_NS = 200000;

static bool mixed;

static bool crowded(void) { return lat_local_ranks() > sysconf(_SC_NPROCESSORS_ONLN); }

void lat_idle_not_alone(void) { __atomic_store_n(&mixed, true, __ATOMIC_RELAXED); }

void lat_idle_watch(struct lat_idle* idle, struct uct_iface* iface, const char* transport) {
  static descriptor_function* original;
  idle->on = crowded();
  if (!idle->on || idle->blind) return;
  if (idle->watched == 0) {
    const int timer = lat_timer_open();
    idle->descriptors[idle->watched++] = (struct pollfd){.fd = timer, .events = POLLIN};
    idle->blind = timer < 0;
  }
  lat_find((void**)&original, "uct_iface_event_fd_get", "libuct");
  int descriptor = -1;
  // TCP's descriptor is readable while data are there to read. Other descriptors must be armed, and
  // some cannot be armed.
  idle->blind |= strcmp(transport, "tcp") != 0 || idle->watched == LAT_MOST_WATCHED ||
                 original(iface, &descriptor) != UCT_OK;
  if (!idle->blind) {
    idle->descriptors[idle->watched++] = (struct pollfd){.fd = descriptor, .events = POLLIN};
  }
}

void lat_idle_end(const struct lat_idle* idle) {
  if (idle->watched > 0) close(idle->descriptors[0].fd);
}

/// Sleeps until a message comes, at most for `ns` or a little longer.
static void doze(struct lat_idle* idle, uint64_t ns) {
  lat_poll(idle->descriptors + 1, idle->watched - 1, ns);
}

/// Sleeps until a message comes, or until `moment`, by a timer: other sleeps end up to 50 us late,
/// because the kernel merges wake-ups.
static void sleep_until(struct lat_idle* idle, uint64_t moment) {
  lat_timer_set(idle->descriptors[0].fd, moment);
  lat_poll(idle->descriptors, idle->watched, LAT_FOR_EVER);
  if (!(idle->descriptors[0].revents & POLLIN)) return;
  const uint64_t now = lat_now_ns();
  const uint64_t late = now < moment + LATEST_NS ? now - moment : LATEST_NS;
  idle->late = late > idle->late ? (late + idle->late) / 2 : idle->late - (idle->late - late) / 8;
}

uint64_t lat_idle_round(struct lat_idle* idle, bool found, uint64_t now, uint64_t due) {
  if (!idle->on) return now;
  if (found || now > idle->looked + AWAY_NS) idle->rounds = 0;
  idle->looked = now;
  if (++idle->rounds <= PATIENCE) return now;
  const uint64_t early = EARLY_NS + idle->late;
  const bool sleeps =
      !idle->blind && !__atomic_load_n(&mixed, __ATOMIC_RELAXED) && due >= now + early;
  if (!sleeps) {
    lat_yield();
  } else if (due < now + LONGEST_NS) {
    sleep_until(idle, due - early);
  } else {
    const uint32_t doubled = idle->rounds - PATIENCE - 1;
    const uint64_t ns = doubled < 6 ? SHORTEST_NS << doubled : LONGEST_NS;
    doze(idle, ns < LONGEST_NS ? ns : LONGEST_NS);
  }
  idle->looked = lat_now_ns();
  return sleeps ? idle->looked : now;
}
