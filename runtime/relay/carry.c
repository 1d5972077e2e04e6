#include "carry.h"

#include <poll.h>

#include "../clock/clock.h"
#include "held.h"

enum {
  /// Number of packets that are read before the due ones are checked again.
  AT_ONCE = 64,
  /// A sleep ends some 40 µs late: the relay polls for packets during the last part of a wait.
  AWAKE_NS = 80000
};

/// Forwards due packets; returns the time until the next one is due.
static uint64_t release(const struct lat_line* line, struct lat_held* held,
                        struct lat_carried* carried) {
  for (;;) {
    const struct lat_packet* first = lat_held_first(held);
    if (!first) return LAT_FOR_EVER;
    const uint64_t now = lat_now_ns();
    if (first->due_ns > now) return first->due_ns - now;
    if (line->give(line->packets, first->data, first->length) < 0) {
      ++carried->refused;
    } else {
      const uint64_t late = now - first->due_ns;
      ++carried->packets;
      carried->bytes += first->length;
      carried->late_ns += late;
      if (late > carried->latest_ns) carried->latest_ns = late;
    }
    lat_held_remove_first(held);
  }
}

/// The time to sleep if there is work after `ns`.
static uint64_t asleep(uint64_t ns) {
  if (ns == LAT_FOR_EVER) return LAT_FOR_EVER;
  return ns > AWAKE_NS ? ns - AWAKE_NS : 0;
}

static void take(const struct lat_line* line, uint64_t delay_ns, struct lat_held* held) {
  for (int i = 0; i < AT_ONCE; ++i) {
    struct lat_packet* packet = lat_held_room(held);
    if (!packet) return;
    const ssize_t length = line->take(line->packets, packet->data, held->largest);
    if (length < 0) return;
    packet->length = (uint64_t)length;
    packet->due_ns = lat_now_ns() + delay_ns;  // counted from a time at which the packet was
                                               // certainly here
    lat_held_add(held);
  }
}

int lat_carry(const struct lat_line* line, uint64_t delay_ns, size_t memory,
              struct lat_carried* carried) {
  struct lat_held held;
  *carried = (struct lat_carried){0};
  bool had_room = true;
  if (!lat_held_open(&held, memory, LAT_LARGEST_PACKET)) return -1;
  for (;;) {
    const uint64_t next = release(line, &held, carried);
    const bool room = lat_held_room(&held) != NULL;
    carried->full += had_room && !room;
    had_room = room;
    struct pollfd looks[] = {{.fd = line->stop, .events = POLLIN},
                             {.fd = line->packets, .events = POLLIN}};
    lat_poll(looks, room ? 2 : 1, asleep(next));
    if (looks[0].revents) break;
    if (looks[1].revents) take(line, delay_ns, &held);
  }
  carried->left = held.count;
  lat_held_close(&held);
  return 0;
}
