#ifndef LATITUDE_INJECT_ARRIVAL_H
#define LATITUDE_INJECT_ARRIVAL_H

/// The arrival of a message, although the receiver did not poll at that time. A transport delivers
/// messages when the receiver polls; a receiver that computes finds them late. Three times are
/// known: that of the last poll without the message (it came later), that of the poll that found it
/// (it came earlier), and that of its sending. A message needs the least transit time from that
/// source, for that size, over messages for which the receiver did poll:
///
///     arrival = least time at which all three can be true: max(in vain, min(found, sent + least))
///
/// Clocks of different nodes need not agree: an offset is part of the least transit time. As they
/// drift, the minimum expires after a while in that case. While the minimum is unknown, a message
/// counts as arrived when it was found; if both ends use the same clock, when it was sent.

#include <stdbool.h>
#include <stdint.h>

enum { LAT_SIZE_CLASSES = 24, LAT_TRANSIT_LIFE_NS = 200000000, LAT_LOOKING_NS = 50000 };

struct lat_transit {
  int64_t least[2];  // minimum of the present and of the last period; INT64_MAX: unknown
  uint64_t begun;    // start of the present period, ns
};

struct lat_source {
  uint32_t id;  // 0: a free place
  bool same_clock;
  uint64_t released;  // time at which its latest message goes to the receiver: the next does not go
                      // earlier
  struct lat_transit transits[LAT_SIZE_CLASSES];
};

/// The receiver's times, ns.
struct lat_look {
  uint64_t in_vain;  // time of its last poll that found nothing
  uint64_t last;     // time until which it polled, or slept with a wake-up on messages
};

void lat_source_begin(struct lat_source* source, uint32_t id, bool same_clock);

/// The time of a message's arrival: ns of the receiver's clock. `look` and the later `found` are of
/// the receiver's clock, `sent` is of the sender's.
uint64_t lat_arrival(struct lat_source* source, uint64_t length, uint64_t sent,
                     struct lat_look look, uint64_t found);

/// The time at which the end of an operation is reported to the process that began it, if its two
/// ways had taken `there_ns` and `back_ns` longer. All times are of one clock; `look` and `found`
/// as above. Operations to one peer queue: each takes its time from the end of the previous one.
/// Time beyond the least duration was spent by a peer that did not poll, and a longer way to the
/// peer passes during that time.
uint64_t lat_word_of_end(struct lat_source* peer, uint64_t length, uint64_t begun,
                         struct lat_look look, uint64_t found, uint64_t there_ns, uint64_t back_ns);

#endif
