#ifndef LATITUDE_RELAY_CARRY_H
#define LATITUDE_RELAY_CARRY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The source and destination of packets.
struct lat_line {
  int packets;  ///< readable when one has come
  int stop;     ///< readable when the relay is to end
  /// Takes a packet of at most `room` bytes; returns its length, or −1 if none has come.
  ssize_t (*take)(int packets, void* data, size_t room);
  /// Gives a packet back; returns −1 if the kernel refused it.
  ssize_t (*give)(int packets, const void* data, size_t length);
};

struct lat_carried {
  uint64_t packets, bytes;      ///< packets forwarded, and their bytes
  uint64_t refused;             ///< packets that the kernel did not take back
  uint64_t full;                ///< number of times without room, when arrivals had to wait
  uint64_t left;                ///< packets still held at the end
  uint64_t late_ns, latest_ns;  ///< lateness: the sum, and the largest
};

/// Forwards each packet `delay_ns` after it was taken, never earlier, in the order of arrival,
/// until the end. It holds at most `memory` bytes; returns −1 if this memory cannot be allocated.
int lat_carry(const struct lat_line* line, uint64_t delay_ns, size_t memory,
              struct lat_carried* carried);

/// Bytes of the largest packet, with the kernel's metadata.
enum { LAT_LARGEST_PACKET = 65535 + 64 };

#endif
