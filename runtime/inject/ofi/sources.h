#ifndef LATITUDE_INJECT_OFI_SOURCES_H
#define LATITUDE_INJECT_OFI_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "../delay.h"
#include "../flow/arrival.h"

/// A stamp is a part of the sender's clock: 31 bits in units of LAT_STAMP_NS.
enum { LAT_STAMP_BITS = 31, LAT_STAMP_NS = 32 };

/// A sender of messages.
struct lat_ofi_source {
  uint64_t address;
  bool timed;             // a stamp has come
  int64_t first_transit;  // transit of the first stamp, ns, modulo the range of stamps
  uint32_t peeked;        // stamp of the last message that a query found before its receive
  uint64_t peeked_at;     // time of the first such query, ns
  struct lat_stream draws;
  struct lat_source source;
};

struct lat_sources {
  struct lat_ofi_source** items;  // open addressing by address
  uint32_t count, room;
};

/// The sender at an address. Aborts without memory: the other ranks rely on the stamps.
struct lat_ofi_source* lat_source_at(struct lat_sources* sources, uint64_t address);
void lat_sources_free(struct lat_sources* sources);

/// The time of the sender's stamp: ns of its clock up to a multiple of the stamps' range, chosen so
/// that found − sent is near that of earlier messages.
uint64_t lat_stamp_time(struct lat_ofi_source* source, uint32_t stamp, uint64_t found);

#endif
