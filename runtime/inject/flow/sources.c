// The senders of a worker's messages, and the peers whose memory it uses, with the state of each.
#include <stdlib.h>

#include "flow.h"

enum { FEWEST_SOURCES = 16 };

static struct lat_source* place(struct lat_source* sources, uint32_t room, uint32_t id) {
  uint32_t at = (id >> 1) & (room - 1);  // the lowest bit is always 1
  while (sources[at].id && sources[at].id != id) at = (at + 1) & (room - 1);
  return &sources[at];
}

static bool grow(struct lat_worker* worker) {
  const uint32_t room = worker->source_room ? 2 * worker->source_room : FEWEST_SOURCES;
  struct lat_source* sources = calloc(room, sizeof *sources);
  if (!sources) return false;
  for (uint32_t i = 0; i < worker->source_room; ++i) {
    const struct lat_source* old = &worker->sources[i];
    if (old->id) *place(sources, room, old->id) = *old;
  }
  free(worker->sources);
  worker->sources = sources;
  worker->source_room = room;
  return true;
}

struct lat_source* lat_source_of(struct lat_worker* worker, uint32_t id, bool same_clock) {
  if (2 * worker->source_count >= worker->source_room && !grow(worker)) abort();
  struct lat_source* source = place(worker->sources, worker->source_room, id);
  if (!source->id) {
    lat_source_begin(source, id, same_clock);
    ++worker->source_count;
  }
  return source;
}
