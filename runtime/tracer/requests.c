#include <stdlib.h>

#include "spin.h"
#include "tracer.h"

// From a handle to its requests. A handle may have several requests. Open MPI and MPICH give every
// small send the handle of one request that is always complete. MPI may also give a handle to
// another thread before the wrapper of the completing call has come here. Among several requests, a
// thread means its own first one, or else the first.
//
// Open addressing with linear probing. A slot without requests is free; removal moves later slots
// of the same run back, so that a run never has holes.
struct slot {
  uintptr_t handle;
  struct request *first, *last;
};

atomic_bool lat_cancels;

static struct slot* slots;
static size_t size, filled;  // size: a power of two
static struct request* spare;
static uint64_t numbers;
static lat_spin lock = ATOMIC_FLAG_INIT;

enum { FIRST_SIZE = 256, SPARE_BLOCK = 256 };

static size_t home(uintptr_t handle) {
  return (size_t)(((uint64_t)handle * 0x9E3779B97F4A7C15u) >> 32) & (size - 1);
}

/// The slot of a handle, or the free slot for it.
static struct slot* slot_of(uintptr_t handle) {
  size_t i = home(handle);
  while (slots[i].first && slots[i].handle != handle) i = (i + 1) & (size - 1);
  return &slots[i];
}

static void grow(void) {
  struct slot* old = slots;
  const size_t old_size = size;
  size = size ? 2 * size : FIRST_SIZE;
  slots = lat_allocate(NULL, size * sizeof *slots);
  memset(slots, 0, size * sizeof *slots);
  for (size_t i = 0; i < old_size; ++i) {
    if (old[i].first) *slot_of(old[i].handle) = old[i];
  }
  free(old);
}

static struct request* take_spare(void) {
  if (!spare) {
    struct request* block = lat_allocate(NULL, SPARE_BLOCK * sizeof *block);
    for (int i = 0; i < SPARE_BLOCK; ++i) {
      block[i].next = spare;
      spare = &block[i];
    }
  }
  struct request* r = spare;
  spare = r->next;
  return r;
}

/// The request that a thread means by the slot's handle, or null; *before is the preceding one.
static struct request* meant(const struct slot* slot, uint16_t thread, struct request** before) {
  *before = NULL;
  for (struct request* r = slot->first; r; *before = r, r = r->next) {
    if (r->thread == thread) return r;
  }
  *before = NULL;
  return slot->first;
}

static void remove_one(struct slot* slot, struct request* r, struct request* before) {
  *(before ? &before->next : &slot->first) = r->next;
  if (slot->last == r) slot->last = before;
  r->next = spare;
  spare = r;
  if (slot->first) return;
  --filled;
  size_t hole = (size_t)(slot - slots);
  for (size_t i = (hole + 1) & (size - 1); slots[i].first; i = (i + 1) & (size - 1)) {
    const size_t wanted = home(slots[i].handle);
    const bool reaches_hole = ((i - wanted) & (size - 1)) >= ((i - hole) & (size - 1));
    if (reaches_hole) {
      slots[hole] = slots[i];
      slots[i].first = NULL;
      hole = i;
    }
  }
}

uint64_t lat_request_add(uintptr_t handle, const struct request* properties) {
  lat_lock(&lock);
  if (2 * filled >= size) grow();
  struct request* r = take_spare();
  *r = *properties;
  r->number = r->silent ? 0 : ++numbers;
  r->next = NULL;
  struct slot* slot = slot_of(handle);
  if (slot->first) {
    slot->last->next = r;
  } else {
    slot->handle = handle;
    slot->first = r;
    ++filled;
  }
  slot->last = r;
  const uint64_t number = r->number;
  lat_unlock(&lock);
  return number;
}

/// The request that a thread means by a handle, or null. Requires the lock.
static struct request* find(uintptr_t handle, uint16_t thread, struct slot** slot,
                            struct request** before) {
  *slot = size ? slot_of(handle) : NULL;
  return *slot ? meant(*slot, thread, before) : NULL;
}

/// The persistent request of a handle, which it does not share, or null. Requires the lock.
static struct request* persistent(uintptr_t handle) {
  struct slot* slot = size ? slot_of(handle) : NULL;
  return slot ? slot->first : NULL;
}

enum lat_said lat_request_complete(uintptr_t handle, uint16_t thread, struct request* out) {
  struct slot* slot;
  struct request* before;
  lat_lock(&lock);
  struct request* r = find(handle, thread, &slot, &before);
  enum lat_said said = !r ? LAT_UNRECORDED : LAT_NOTHING;
  if (r && r->active) {
    if (!r->silent) said = LAT_THE_NUMBER;
    *out = *r;
    if (r->persistent) {
      r->active = false;
    } else {
      remove_one(slot, r, before);
    }
  }
  lat_unlock(&lock);
  return said;
}

enum lat_said lat_request_start(uintptr_t handle, uint64_t* number) {
  lat_lock(&lock);
  struct request* r = persistent(handle);
  if (r) {
    r->active = true;
    r->ready = 0;
    *number = r->number;
  }
  lat_unlock(&lock);
  return r ? LAT_THE_NUMBER : LAT_UNRECORDED;
}

enum lat_said lat_request_free(uintptr_t handle, uint16_t thread, uint64_t* number) {
  struct slot* slot;
  struct request* before;
  lat_lock(&lock);
  struct request* r = find(handle, thread, &slot, &before);
  const enum lat_said said = !r ? LAT_UNRECORDED : r->silent ? LAT_NOTHING : LAT_THE_NUMBER;
  if (r) {
    *number = r->number;
    remove_one(slot, r, before);
  }
  lat_unlock(&lock);
  return said;
}

enum lat_said lat_request_ready(uintptr_t handle, int partitions, uint64_t* number) {
  lat_lock(&lock);
  struct request* r = persistent(handle);
  enum lat_said said = !r ? LAT_UNRECORDED : LAT_NOTHING;
  if (r) {
    r->ready += partitions;
    *number = r->number;
    if (r->ready == r->partitions) said = LAT_THE_NUMBER;
  }
  lat_unlock(&lock);
  return said;
}
