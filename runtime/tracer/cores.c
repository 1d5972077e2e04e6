#include <stdlib.h>

#include "tracer.h"

// The time for which threads were without a core. The wall clock of a gap includes that time; the
// CPU clock does not, but it is a system call. If it is not read around every call, it is read
// around long gaps: another thread that takes a core keeps it for longer than such a gap.

/// The time for which the thread was without a core since the last check; 0: too short to count.
struct absence {
  uint64_t away_ns;    // asleep, or kept from a core
  uint64_t waited_ns;  // the part of it that was certainly a wait for a core, within the gap;
                       // LAT_NOT_KNOWN
};

static uint64_t less(uint64_t all, uint64_t part) { return all > part ? all - part : 0; }

/// Checks at `now` by the wall clock and `cpu` by the CPU clock, after a gap of `gap` ns. Waits are
/// read only if there was a long absence. Waits that may precede the gap (in a call, in a shorter
/// absence) or follow it (this check) are not subtracted from the gap. A thread that never gave up
/// its core has not slept, so its whole absence is waiting. This includes times in which a
/// hypervisor had the core, which the kernel does not count as waiting.
static struct absence look(struct thread* t, uint64_t now, uint64_t cpu, uint64_t gap) {
  const uint64_t passed = now - t->looked;
  const uint64_t ran = cpu - t->looked_cpu;
  const uint64_t away = passed > ran ? passed - ran : 0;
  t->looked = now;
  t->looked_cpu = cpu;
  t->look_from = now + LAT_LONG_GAP_NS;
  if (away < LAT_ABSENCE_NS) {
    t->away_unread += away;
    return (struct absence){0, 0};
  }
  const uint64_t waited = lat_waited_ns();
  const uint64_t given_up = lat_used().voluntary;
  const uint64_t before = passed > gap ? passed - gap : 0;
  struct absence found = {away, LAT_NOT_KNOWN};
  if (given_up == t->given_up) {
    found.waited_ns = less(away, before);
  } else if (waited != LAT_NOT_KNOWN) {
    found.waited_ns = less(waited - t->waited, t->away_unread + before + (lat_now_ns() - now));
  }
  t->waited = waited;
  t->given_up = given_up;
  t->away_unread = 0;
  return found;
}

void lat_look_first(struct thread* t) {
  t->looked = t->left;
  t->looked_cpu = lat_cpu_ns();
  t->waited = lat_waited_ns();
  t->given_up = lat_used().voluntary;
  t->look_from = t->looked + LAT_LONG_GAP_NS;
}

bool lat_look_at_gap(struct event* e, uint64_t* away_ns, uint64_t* waited_ns) {
  struct thread* t = e->thread;
  const uint64_t gap = e->enter - t->left;
  const uint64_t cpu = lat_cpu_clock ? t->left_cpu + e->cpu_gap : lat_cpu_ns();
  const struct absence found = look(t, e->enter, cpu, gap);
  // Time before the gap belongs to a call.
  *away_ns = found.away_ns < gap ? found.away_ns : gap;
  *waited_ns =
      found.waited_ns < *away_ns || found.waited_ns == LAT_NOT_KNOWN ? found.waited_ns : *away_ns;
  return found.away_ns > 0;
}

bool lat_look_at_call(struct thread* t) {
  if (!lat_cpu_clock && t->left < t->look_from) return false;
  const struct absence found = look(t, t->left, lat_cpu_clock ? t->left_cpu : lat_cpu_ns(), 0);
  return found.away_ns > 0 || !lat_cpu_clock;
}

void lat_usage_write(uint64_t now) {
  const struct lat_usage used = lat_used();
  const uint64_t waited = lat_waited_ns();
  const uint64_t values[] = {now,
                             lat_cpu_ns(),
                             used.user_us,
                             used.system_us,
                             used.voluntary,
                             used.involuntary,
                             waited == LAT_NOT_KNOWN ? 0 : waited + 1};
  struct lat_bytes b = {0};
  lat_room(&b, LAT_CHUNK_HEADER + sizeof values / sizeof *values * LAT_VARINT);
  b.used = LAT_CHUNK_HEADER;
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) lat_put(&b, values[i]);
  lat_file_write(LAT_USAGE, 0, 1, 0, &b);
  free(b.data);
}
