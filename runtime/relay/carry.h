#ifndef LATITUDE_RELAY_CARRY_H
#define LATITUDE_RELAY_CARRY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Where packets come from and go to.
struct lat_line {
  int packets;  ///< readable when one has come
  int stop;     ///< readable when it is over
  /// A packet of at most `room` bytes; returns its length, or −1 where none has come.
  ssize_t (*take)(int packets, void* data, size_t room);
  /// Returns −1 where it was refused.
  ssize_t (*give)(int packets, const void* data, size_t length);
};

struct lat_carried {
  uint64_t packets, bytes;      ///< that went on
  uint64_t refused;             ///< that the kernel did not take back
  uint64_t full;                ///< how often there was no room, and what came had to wait
  uint64_t left;                ///< still held at the end
  uint64_t late_ns, latest_ns;  ///< after they were due: the sum, and of the worst
};

/// Lets each packet go on `delay_ns` after it was taken, never earlier, in the order in which they
/// came, until it is over. At most `memory` bytes are held; returns −1 where they cannot be had.
int lat_carry(const struct lat_line* line, uint64_t delay_ns, size_t memory,
              struct lat_carried* carried);

/// Bytes of the largest packet, with what the kernel says of it.
enum { LAT_LARGEST_PACKET = 65535 + 64 };

#endif
