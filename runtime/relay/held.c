#include "held.h"

#include <stdlib.h>

enum { ALIGNMENT = 8 };

static size_t taken(size_t length) {
  return (sizeof(struct lat_packet) + length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

bool lat_held_open(struct lat_held* held, size_t size, size_t largest) {
  *held = (struct lat_held){.size = size / ALIGNMENT * ALIGNMENT, .largest = largest};
  if (held->size < 2 * taken(largest)) return false;
  held->memory = malloc(held->size);
  return held->memory != NULL;
}

void lat_held_close(struct lat_held* held) {
  free(held->memory);
  held->memory = NULL;
}

static struct lat_packet* at(const struct lat_held* held, size_t offset) {
  return (struct lat_packet*)(void*)(held->memory + offset);
}

// A packet begins at the next place that has room for the largest packet before the end of the
// memory, else at the beginning of the memory. So both ends know the place, and no packet is in two
// pieces.

static size_t place(const struct lat_held* held, size_t offset) {
  return held->size - offset < taken(held->largest) ? 0 : offset;
}

struct lat_packet* lat_held_room(struct lat_held* held) {
  if (held->count == 0) held->first = held->end = 0;
  const size_t begin = place(held, held->end);
  const bool behind =
      held->count > 0 &&
      held->end <= held->first;  // memory of packets that have not been forwarded yet
  if ((behind || begin < held->end) && begin + taken(held->largest) > held->first) return NULL;
  held->end = begin;
  return at(held, begin);
}

void lat_held_add(struct lat_held* held) {
  held->end += taken(at(held, held->end)->length);
  ++held->count;
}

const struct lat_packet* lat_held_first(const struct lat_held* held) {
  return held->count > 0 ? at(held, held->first) : NULL;
}

void lat_held_remove_first(struct lat_held* held) {
  held->first = place(held, held->first + taken(at(held, held->first)->length));
  --held->count;
}
