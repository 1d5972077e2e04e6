#ifndef LATITUDE_INJECT_IDLE_H
#define LATITUDE_INJECT_IDLE_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../preload/uct.h"

enum { LAT_MOST_WATCHED = 16 };

/// The way in which a UCT worker waits on a crowded host.
struct lat_idle {
  bool on;
  bool blind;       // an interface has no descriptor to wait for: yield instead of sleeping
  uint32_t rounds;  // polls without success, one after the other
  uint64_t looked;  // time of the last poll
  uint64_t late;    // time by which sleeps recently lasted too long, ns
  struct pollfd descriptors[LAT_MOST_WATCHED];  // the first is a timer
  unsigned watched;
};

/// Notes that messages have another way to come: no rank sleeps from now on.
void lat_idle_not_alone(void);

/// Adds an interface whose messages end a sleep.
void lat_idle_watch(struct lat_idle* idle, struct uct_iface* iface, const char* transport);

/// Closes the timer.
void lat_idle_end(const struct lat_idle* idle);

/// Call after each round of progress, with: whether it found something, and the time at which the
/// next waiting message is due (UINT64_MAX if none waits). Returns the time until which a message
/// would have ended the round: the end of a sleep, or `now` if the rank did not sleep.
uint64_t lat_idle_round(struct lat_idle* idle, bool found, uint64_t now, uint64_t due);

#endif
