#ifndef LATITUDE_INJECT_ARRIVAL_H
#define LATITUDE_INJECT_ARRIVAL_H

/// When a message arrived, although nobody looked.
///
/// A transport hands messages over when the receiver polls; a receiver that computes finds them
/// late. Known are: when it looked last without finding it (the message came after that), when it
/// found it (the message came before that), and when it was sent. The least transit time seen from
/// that source, of that size, while the receiver did look, is what a message needs:
///
///     arrival = least time at which all three can be true: max(in vain, min(found, sent + least))
///
/// Clocks of different nodes need not agree: an offset is part of the least transit time. As they
/// drift, it is forgotten after a while there. While it is unknown a message has arrived when it
/// was found; by the clock it was sent by, when it was sent.

#include <stdbool.h>
#include <stdint.h>

enum { LAT_SIZE_CLASSES = 24, LAT_TRANSIT_LIFE_NS = 200000000, LAT_LOOKING_NS = 50000 };

struct lat_transit {
  int64_t least[2];  // of the present and of the last period, INT64_MAX when unknown
  uint64_t begun;    // of the present period, ns
};

struct lat_source {
  uint32_t id;  // 0: a free place
  bool same_clock;
  uint64_t released;  // when its latest message goes to the receiver: the next does not before
  struct lat_transit transits[LAT_SIZE_CLASSES];
};

/// The receiver's times, ns.
struct lat_look {
  uint64_t in_vain;  // when it last looked and found nothing
  uint64_t last;     // until when it looked, or slept and would have been woken
};

void lat_source_begin(struct lat_source* source, uint32_t id, bool same_clock);

/// Ns of the receiver's clock. `look` and the later `found` are the receiver's, `sent` the
/// sender's.
uint64_t lat_arrival(struct lat_source* source, uint64_t length, uint64_t sent,
                     struct lat_look look, uint64_t found);

/// When word of the end of an operation reaches who began it, had each of its two ways taken longer
/// by `there_ns` and `back_ns`. All times are of one clock; `look` and `found` as above. Operations
/// to one peer queue: one takes its time from when the one before is over. What an operation takes
/// beyond the least time was spent by a peer that did not look, and a longer way there passes
/// meanwhile.
uint64_t lat_word_of_end(struct lat_source* peer, uint64_t length, uint64_t begun,
                         struct lat_look look, uint64_t found, uint64_t there_ns, uint64_t back_ns);

#endif
