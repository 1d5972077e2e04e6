#ifndef LATITUDE_INJECT_HEAP_H
#define LATITUDE_INJECT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A message, or the report of an operation's end, that waits for its time.
struct lat_message {
  uint64_t due;    // ns
  uint64_t order;  // number in order of arrival: equal times keep it
  uint64_t arrived;
  uint64_t asked_ns;
  bool counted;  // whether its delay was drawn from the table
  struct lat_iface* iface;
  struct lat_slot* slot;            // handler of a message
  struct uct_completion* finished;  // receiver of the report; NULL for a message
  size_t length;
  _Alignas(16) unsigned char data[];
};

/// Messages by due time; grows as needed.
struct lat_heap {
  struct lat_message** items;
  size_t count;
  size_t room;
};

/// False without memory; the heap is then unchanged.
bool lat_heap_push(struct lat_heap* heap, struct lat_message* message);

/// Removes and returns the earliest; the heap must not be empty.
struct lat_message* lat_heap_pop(struct lat_heap* heap);

/// Frees the messages for which `unwanted` is true.
void lat_heap_drop(struct lat_heap* heap, bool (*unwanted)(const struct lat_message*, const void*),
                   const void* argument);

#endif
