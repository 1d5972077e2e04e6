#include "arrival.h"

void lat_source_begin(struct lat_source* source, uint32_t id, bool same_clock) {
  source->id = id;
  source->same_clock = same_clock;
  source->released = 0;
  for (int i = 0; i < LAT_SIZE_CLASSES; ++i) {
    source->transits[i] = (struct lat_transit){{INT64_MAX, INT64_MAX}, 0};
  }
}

static struct lat_transit* transit_of(struct lat_source* source, uint64_t length) {
  const int octave = 63 - __builtin_clzll(length | 1);
  return &source->transits[octave < LAT_SIZE_CLASSES ? octave : LAT_SIZE_CLASSES - 1];
}

static void forget(struct lat_transit* transit, uint64_t now) {
  const uint64_t age = now - transit->begun;
  if (age < LAT_TRANSIT_LIFE_NS) return;
  transit->least[1] = age < 2 * (uint64_t)LAT_TRANSIT_LIFE_NS ? transit->least[0] : INT64_MAX;
  transit->least[0] = INT64_MAX;
  transit->begun = now;
}

static int64_t least_of(const struct lat_transit* transit) {
  return transit->least[0] < transit->least[1] ? transit->least[0] : transit->least[1];
}

/// The minimum over messages of that size, otherwise over all sizes. Messages of a size that only
/// came while the receiver did not poll count as no slower than others. The transit time is 0 if no
/// message by the same clock is known.
static int64_t least_transit(const struct lat_source* source, const struct lat_transit* own) {
  const int64_t of_size = least_of(own);
  if (of_size != INT64_MAX) return of_size;
  int64_t least = INT64_MAX;
  for (int i = 0; i < LAT_SIZE_CLASSES; ++i) {
    const int64_t other = least_of(&source->transits[i]);
    if (other < least) least = other;
  }
  return least == INT64_MAX && source->same_clock ? 0 : least;
}

uint64_t lat_arrival(struct lat_source* source, uint64_t length, uint64_t sent,
                     struct lat_look look, uint64_t found) {
  struct lat_transit* transit = transit_of(source, length);
  const int64_t took = (int64_t)(found - sent);
  if (!source->same_clock) {
    for (int i = 0; i < LAT_SIZE_CLASSES; ++i) forget(&source->transits[i], found);
  }
  // A message that was polled for gives the transit time of its size; any other can only lower that
  // time.
  const bool telling = found - look.last < LAT_LOOKING_NS || least_of(transit) != INT64_MAX;
  if (telling && took < transit->least[0]) transit->least[0] = took;
  const int64_t least = least_transit(source, transit);
  if (least >= took) return found;
  const uint64_t arrived = sent + (uint64_t)least;
  return arrived > look.in_vain ? arrived : look.in_vain;
}

uint64_t lat_word_of_end(struct lat_source* peer, uint64_t length, uint64_t begun,
                         struct lat_look look, uint64_t found, uint64_t there_ns,
                         uint64_t back_ns) {
  const uint64_t alone = begun > peer->released ? begun : peer->released;
  const uint64_t over = lat_arrival(peer, length, alone, look, found);
  const int64_t least = least_transit(peer, transit_of(peer, length));
  uint64_t expected = over;
  if (least < (int64_t)(over - alone)) expected = alone + (uint64_t)least;
  peer->released = expected;
  const uint64_t there = expected + there_ns;
  return (over > there ? over : there) + back_ns;
}
