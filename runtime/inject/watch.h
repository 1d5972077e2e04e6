#ifndef LATITUDE_INJECT_WATCH_H
#define LATITUDE_INJECT_WATCH_H

/// Whether a rank waits in MPI, as seen from below.
///
/// A message may be delivered late for two reasons. Its rank computed when the message was due:
/// that costs nothing, because the rank did not wait for it. Or its rank waited, but did not run,
/// or woke late: that is a latency which the machine has added. The rank's earlier polls
/// distinguish the two cases: a rank that has polled repeatedly without success is in a call of MPI
/// that does not return before something is delivered.

#include <stdbool.h>
#include <stdint.h>

/// Number of polls without success after which a rank counts as waiting, and their largest
/// distance.
enum { LAT_WATCH_LOOKS = 4, LAT_WATCH_APART_NS = 20000 };

struct lat_watch {
  uint64_t looked;   // the latest poll, or the end of a sleep; ns
  uint32_t in_vain;  // successive polls without success, at most LAT_WATCH_LOOKS + 1
  bool waited;       // whether it waited until the latest poll
};

/// Notes a poll of the rank.
static inline void lat_watch_look(struct lat_watch* watch, uint64_t now) {
  watch->waited = watch->in_vain > LAT_WATCH_LOOKS;
  if (now > watch->looked + LAT_WATCH_APART_NS) watch->in_vain = 0;
  watch->looked = now;
  if (watch->in_vain <= LAT_WATCH_LOOKS) ++watch->in_vain;
}

/// Notes that the rank has slept until `now`, for a message to come or to be due: so it waited.
static inline void lat_watch_sleep(struct lat_watch* watch, uint64_t now) {
  watch->waited = true;
  watch->in_vain = LAT_WATCH_LOOKS + 1;
  watch->looked = now;
}

/// Notes that MPI has received something, and may return to the program.
static inline void lat_watch_hand(struct lat_watch* watch) { watch->in_vain = 0; }

/// Lateness, in ns, of a message that could be delivered at `due`, and is delivered at `now`, for a
/// rank that waited; 0 if it did not wait.
static inline uint64_t lat_watch_late(const struct lat_watch* watch, uint64_t due, uint64_t now) {
  // If a poll that the transport made before the injector's turn found the message, the state
  // before that poll counts.
  const bool apart = now > watch->looked + LAT_WATCH_APART_NS;
  const bool waited = apart ? watch->in_vain > LAT_WATCH_LOOKS : watch->waited;
  return waited && now > due ? now - due : 0;
}

#endif
