#ifndef LATITUDE_INJECT_IDLE_H
#define LATITUDE_INJECT_IDLE_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../preload/uct.h"

enum { LAT_MOST_WATCHED = 16 };

/// How a UCT worker waits on a crowded host.
struct lat_idle {
  bool on;
  bool blind;       // an interface cannot be waited for: yield instead of sleeping
  uint32_t rounds;  // in vain, one after the other
  uint64_t looked;  // when the last one was
  uint64_t late;    // what sleeps last longer than they should, ns
  struct pollfd descriptors[LAT_MOST_WATCHED];  // the first is a timer
  unsigned watched;
};

/// Another way by which messages come: nobody sleeps from now on.
void lat_idle_not_alone(void);

/// An interface whose messages end a sleep.
void lat_idle_watch(struct lat_idle* idle, struct uct_iface* iface, const char* transport);

/// Closes the timer.
void lat_idle_end(const struct lat_idle* idle);

/// After each round of progress: whether it found something; when the next message that waits is
/// due, UINT64_MAX when none does. Returns until when a message would have ended the round: the
/// time when a sleep is over, else `now`.
uint64_t lat_idle_round(struct lat_idle* idle, bool found, uint64_t now, uint64_t due);

#endif
