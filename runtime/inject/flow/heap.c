#include "heap.h"

#include <stdlib.h>

static bool before(const struct lat_message* a, const struct lat_message* b) {
  return a->due != b->due ? a->due < b->due : a->order < b->order;
}

static void rise(struct lat_heap* heap, size_t at) {
  struct lat_message* message = heap->items[at];
  for (; at > 0 && before(message, heap->items[(at - 1) / 2]); at = (at - 1) / 2) {
    heap->items[at] = heap->items[(at - 1) / 2];
  }
  heap->items[at] = message;
}

bool lat_heap_push(struct lat_heap* heap, struct lat_message* message) {
  if (heap->count == heap->room) {
    const size_t room = heap->room ? 2 * heap->room : 64;
    struct lat_message** items = realloc(heap->items, room * sizeof *items);
    if (!items) return false;
    heap->items = items;
    heap->room = room;
  }
  heap->items[heap->count] = message;
  rise(heap, heap->count++);
  return true;
}

struct lat_message* lat_heap_pop(struct lat_heap* heap) {
  struct lat_message* first = heap->items[0];
  struct lat_message* last = heap->items[--heap->count];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
    if (child + 1 < heap->count && before(heap->items[child + 1], heap->items[child])) ++child;
    if (!before(heap->items[child], last)) break;
    heap->items[at] = heap->items[child];
  }
  heap->items[at] = last;
  return first;
}

void lat_heap_drop(struct lat_heap* heap, bool (*unwanted)(const struct lat_message*, const void*),
                   const void* argument) {
  const size_t count = heap->count;
  heap->count = 0;
  for (size_t i = 0; i < count; ++i) {
    if (unwanted(heap->items[i], argument)) {
      free(heap->items[i]);
    } else {
      heap->items[heap->count] = heap->items[i];
      rise(heap, heap->count++);
    }
  }
}
