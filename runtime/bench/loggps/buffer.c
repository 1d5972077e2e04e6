#include "buffer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/job.h"

enum { LINE = 64, CACHES = 4 };
static const size_t LEAST_ROOM = (size_t)64 << 20, MOST_ROOM = (size_t)512 << 20;
/// 2^64 over the golden ratio: its multiples are spread evenly, and none is near those just before,
/// so no prefetcher is ahead of them (Knuth, The Art of Computer Programming 3, §6.4).
static const uint64_t GOLDEN = 0x9e3779b97f4a7c15u;

static size_t room_beyond_caches(void) {
#ifdef _SC_LEVEL3_CACHE_SIZE
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  const size_t wanted = cache > 0 ? CACHES * (size_t)cache : 0;  // 0 where it is not known
#else
  const size_t wanted = 0;
#endif
  if (wanted < LEAST_ROOM) return LEAST_ROOM;
  return wanted < MOST_ROOM ? wanted : MOST_ROOM;
}

struct buffer buffer_made(int64_t most, bool cold) {
  struct buffer made = {.room = (size_t)most + (cold ? room_beyond_caches() : 0), .cold = cold};
  made.base = bench_allocate(made.room, 1);
  memset(made.base, 1, made.room);  // the pages exist from now on
  return made;
}

void buffer_free(struct buffer* buffer) { free(buffer->base); }

char* buffer_place(struct buffer* buffer, int64_t bytes) {
  if (!buffer->cold) return buffer->base;
  const uint64_t lines = (buffer->room - (size_t)bytes) / LINE;
  const uint64_t share = buffer->taken++ * GOLDEN >> 32;
  return buffer->base + (share * lines >> 32) * LINE;
}
