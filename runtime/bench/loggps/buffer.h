#ifndef LATITUDE_BENCH_BUFFER_H
#define LATITUDE_BENCH_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The places of a rank's messages. Warm: all at one place, which stays in the caches. Cold: each
/// at another place of a region several times as large as the last-level cache. A message then
/// finds its bytes in memory, as in a program that has computed on other data in between.
struct buffer {
  char* base;
  size_t room;  ///< bytes at `base`
  bool cold;
  uint64_t taken;  ///< places so far
};

/// For messages up to `most` bytes. The whole region has been written to.
struct buffer buffer_made(int64_t most, bool cold);
void buffer_free(struct buffer* buffer);

/// The place of the next message of this size.
char* buffer_place(struct buffer* buffer, int64_t bytes);

#endif
