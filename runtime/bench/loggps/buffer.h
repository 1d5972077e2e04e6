#ifndef LATITUDE_BENCH_BUFFER_H
#define LATITUDE_BENCH_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Where the messages of a rank lie. Warm: all at one place, which stays in the caches. Cold: each
/// at another place of a region some times as large as the last-level cache, so that a message
/// finds its bytes in memory, as a program does that has computed on other data meanwhile.
struct buffer {
  char* base;
  size_t room;  ///< bytes there
  bool cold;
  uint64_t taken;  ///< places so far
};

/// For messages up to `most` bytes. All of it has been written to.
struct buffer buffer_made(int64_t most, bool cold);
void buffer_free(struct buffer* buffer);

/// Where the next message of so many bytes is to lie.
char* buffer_place(struct buffer* buffer, int64_t bytes);

#endif
