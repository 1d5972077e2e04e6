#ifndef LATITUDE_INJECT_WATCH_H
#define LATITUDE_INJECT_WATCH_H

/// Whether a rank waits in MPI, as seen from below.
///
/// A message may be handed over late for two reasons. Its rank computed when it was due: that costs
/// nothing, as nobody waited for it. Or its rank waited, and was not let run, or woken late: that
/// is a latency which the machine has added. What tells them apart is how the rank looked for
/// messages before: who has looked in vain again and again is in a call of MPI that does not return
/// before something is handed to it.

#include <stdbool.h>
#include <stdint.h>

/// Looks in vain after which a rank waits, and how soon one must follow the other.
enum { LAT_WATCH_LOOKS = 4, LAT_WATCH_APART_NS = 20000 };

struct lat_watch {
  uint64_t looked;   // the latest look, or the end of a sleep; ns
  uint32_t in_vain;  // looks since MPI was last handed something
  bool waited;       // up to the latest look
};

/// The rank looks.
static inline void lat_watch_look(struct lat_watch* watch, uint64_t now) {
  watch->waited = watch->in_vain > LAT_WATCH_LOOKS;
  if (now > watch->looked + LAT_WATCH_APART_NS) watch->in_vain = 0;
  watch->looked = now;
  if (watch->in_vain <= LAT_WATCH_LOOKS) ++watch->in_vain;
}

/// It has slept until `now`, for a message to come or to be due: so it waited.
static inline void lat_watch_sleep(struct lat_watch* watch, uint64_t now) {
  watch->waited = true;
  watch->in_vain = LAT_WATCH_LOOKS + 1;
  watch->looked = now;
}

/// MPI has been handed something, and may return to the program.
static inline void lat_watch_hand(struct lat_watch* watch) { watch->in_vain = 0; }

/// By how many ns a message that could be handed over at `due`, and is at `now`, came too late for
/// a rank that waited; 0 where it did not.
static inline uint64_t lat_watch_late(const struct lat_watch* watch, uint64_t due, uint64_t now) {
  // Found by a look that the transport made before we were asked: what counts is before that look.
  const bool apart = now > watch->looked + LAT_WATCH_APART_NS;
  const bool waited = apart ? watch->in_vain > LAT_WATCH_LOOKS : watch->waited;
  return waited && now > due ? now - due : 0;
}

#endif
