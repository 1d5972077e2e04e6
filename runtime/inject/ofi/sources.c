#define _GNU_SOURCE
#include "sources.h"

#include <stdlib.h>

#include "../random.h"

enum { FEWEST = 16 };

static const int64_t range = ((int64_t)LAT_STAMP_NS) << LAT_STAMP_BITS;
/// Transits may be shorter than the first one by this much.
static const int64_t slack = (int64_t)4 << 30;
/// Senders with transit times below this use the same clock: the clocks of two nodes differ by
/// more, because the nodes did not start at the same time.
static const int64_t same_clock_ns = 10000000;

static struct lat_ofi_source** place(struct lat_ofi_source** items, uint32_t room,
                                     uint64_t address) {
  uint32_t at = (uint32_t)lat_mix(address) & (room - 1);
  while (items[at] && items[at]->address != address) at = (at + 1) & (room - 1);
  return &items[at];
}

static void grow(struct lat_sources* sources) {
  const uint32_t room = sources->room ? 2 * sources->room : FEWEST;
  struct lat_ofi_source** items = calloc(room, sizeof(*items));
  if (!items) abort();
  for (uint32_t i = 0; i < sources->room; ++i) {
    struct lat_ofi_source* old = sources->items[i];
    if (old) *place(items, room, old->address) = old;
  }
  free(sources->items);
  sources->items = items;
  sources->room = room;
}

struct lat_ofi_source* lat_source_at(struct lat_sources* sources, uint64_t address) {
  if (2 * sources->count >= sources->room) grow(sources);
  struct lat_ofi_source** source = place(sources->items, sources->room, address);
  if (*source) return *source;
  *source = calloc(1, sizeof **source);
  if (!*source) abort();
  (*source)->address = address;
  lat_source_begin(&(*source)->source, 1, false);
  lat_delay_start_stream(&(*source)->draws, lat_mix(address));
  ++sources->count;
  return *source;
}

void lat_sources_free(struct lat_sources* sources) {
  for (uint32_t i = 0; i < sources->room; ++i) free(sources->items[i]);
  free(sources->items);
}

uint64_t lat_stamp_time(struct lat_ofi_source* source, uint32_t stamp, uint64_t found) {
  const uint64_t sent = (uint64_t)stamp * LAT_STAMP_NS;
  int64_t transit = (int64_t)((found - sent) & ((uint64_t)range - 1));
  if (transit < same_clock_ns) source->source.same_clock = true;
  if (!source->timed) source->first_transit = transit;
  source->timed = true;
  const uint64_t beyond = (uint64_t)(transit - source->first_transit + slack);
  transit = source->first_transit - slack + (int64_t)(beyond & ((uint64_t)range - 1));
  return found - (uint64_t)transit;
}
