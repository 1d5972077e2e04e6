#include <stdlib.h>

#include "tracer.h"

// How long threads were without a core. The wall clock of a gap holds that time, too; the CPU
// clock, which does not, is a system call. Where it is not read around every call, it is read
// around gaps that are long: whoever takes a core from a thread keeps it for longer than that.

/// How long the thread was without a core since the last look; 0: not long enough to count.
struct absence {
  uint64_t away_ns;    // asleep, or kept from a core
  uint64_t waited_ns;  // of that certainly kept from a core, within the gap; LAT_NOT_KNOWN
};

static uint64_t less(uint64_t all, uint64_t part) { return all > part ? all - part : 0; }

/// At `now` by the wall clock and `cpu` by the CPU clock, behind a gap of `gap` ns. Waits are read
/// where there is a long absence only. Waits that may lie before the gap (in a call, in a shorter
/// absence) or behind it (this look) are not taken from the gap. A thread that never gave up its
/// core has not slept: all of its absence is waits, also those in which a hypervisor had the core,
/// which the kernel does not count as such.
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
  // What came before the gap is a call's time.
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
