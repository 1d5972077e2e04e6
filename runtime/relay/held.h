#ifndef LATITUDE_RELAY_HELD_H
#define LATITUDE_RELAY_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Packets on their way, first in, first out, in memory of a fixed size.

struct lat_packet {
  uint64_t due_ns;  ///< time at which it is forwarded, by lat_now_ns
  uint64_t length;  ///< bytes
  unsigned char data[];
};

struct lat_held {
  unsigned char* memory;
  size_t size;
  size_t first,
      end;         ///< place of the held packets; end < first once they continue at the beginning
  size_t count;    ///< packets
  size_t largest;  ///< largest packet, bytes
};

/// False without memory, or if less than two packets would fit into the memory.
bool lat_held_open(struct lat_held* held, size_t size, size_t largest);
void lat_held_close(struct lat_held* held);

/// Room for one more packet; NULL if no room is left.
struct lat_packet* lat_held_room(struct lat_held* held);
/// Adds the packet written to that room, with its length set, as the last one.
void lat_held_add(struct lat_held* held);

/// The packet that came first; NULL if none is held.
const struct lat_packet* lat_held_first(const struct lat_held* held);
void lat_held_remove_first(struct lat_held* held);

#endif
