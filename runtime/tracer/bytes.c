#include <stdio.h>
#include <stdlib.h>

#include "tracer.h"

void* lat_allocate(void* old, size_t bytes) {
  void* memory = realloc(old, bytes);
  if (!memory) {
    lat_say("no memory left: %zu bytes were wanted for the trace", bytes);
    abort();
  }
  return memory;
}

void lat_put_string(struct lat_bytes* b, const char* text) {
  const size_t length = strlen(text);
  lat_room(b, length + LAT_VARINT);
  lat_put(b, length);
  memcpy(b->data + b->used, text, length);
  b->used += length;
}
