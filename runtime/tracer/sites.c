#include <stdlib.h>
#include <unwind.h>

#include "tracer.h"

// The return address of a wrapper is the call site, unless the call came through MPI's Fortran
// layer: then it is the first return address outside MPI's libraries. Unwinding takes a
// microsecond, so a thread remembers the distance of two return addresses on the stack: in
// functions with a fixed frame, such as these, it is constant. A result of this method counts only
// if unwinding has seen the same pair of addresses before.

enum { LAYER = UINT32_MAX, FIRST_SIZE = 256, LARGEST_FRAME = 1024 };

static struct site* sites;  // open addressing, linear probing
static size_t size, filled;
static uint32_t numbers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t hash(uintptr_t address) {
  return (size_t)(((uint64_t)address * 0x9E3779B97F4A7C15u) >> 32);
}

static struct site* slot_of(uintptr_t address) {
  size_t i = hash(address) & (size - 1);
  while (sites[i].address && sites[i].address != address) i = (i + 1) & (size - 1);
  return &sites[i];
}

static void grow(void) {
  struct site* old = sites;
  const size_t old_size = size;
  size = size ? 2 * size : FIRST_SIZE;
  sites = lat_allocate(NULL, size * sizeof *sites);
  memset(sites, 0, size * sizeof *sites);
  for (size_t i = 0; i < old_size; ++i) {
    if (old[i].address) *slot_of(old[i].address) = old[i];
  }
  free(old);
}

static uint32_t define(uintptr_t address) {
  if (lat_module_found(address) == LAT_MPI_LAYER) return LAYER;
  struct lat_bytes* b = lat_define_begin(LAT_SITES);
  lat_room(b, LAT_VARINT);
  lat_put(b, address);
  lat_define_end(LAT_SITES, 1);
  return ++numbers;
}

/// Number of an address, or LAYER.
static uint32_t number_of(struct thread* t, uintptr_t address) {
  struct site* near = &t->sites[hash(address) % LAT_SITE_CACHE];
  if (LAT_LIKELY(near->address == address)) return near->number;
  pthread_mutex_lock(&lock);
  if (2 * filled >= size) grow();
  struct site* slot = slot_of(address);
  if (!slot->address) {
    *slot = (struct site){address, define(address)};
    ++filled;
  }
  *near = *slot;
  pthread_mutex_unlock(&lock);
  return near->number;
}

static struct frame* frame_of(struct thread* t, uintptr_t address) {
  return &t->frames[hash(address) % LAT_SITE_CACHE];
}
static struct frame* caller_of(struct thread* t, uintptr_t address, uintptr_t caller) {
  return &t->callers[hash(address ^ (caller << 1)) % LAT_SITE_CACHE];
}

struct walk {
  struct thread* thread;
  uintptr_t address;     // return address of the frame below, in a layer; at first the wrapper's
  const uint8_t* frame;  // place of the return address on the stack
  bool begun;
  uint32_t found;
};

static void remember(const struct walk* w, uintptr_t caller, const uint8_t* frame) {
#ifdef __x86_64__
  const size_t apart = (size_t)(frame - w->frame);
  uintptr_t there;
  memcpy(&there, frame - sizeof there, sizeof there);
  if (frame <= w->frame || apart > LARGEST_FRAME || there != caller) return;
  const struct frame known = {w->address, caller, apart};
  *frame_of(w->thread, w->address) = known;
  *caller_of(w->thread, w->address, caller) = known;
#else
  (void)w, (void)caller, (void)frame;  // return addresses may be anywhere in a frame
#endif
}

static _Unwind_Reason_Code step(struct _Unwind_Context* context, void* data) {
  struct walk* w = data;
  const uintptr_t address = _Unwind_GetIP(context);
  const uint8_t* frame = (const uint8_t*)_Unwind_GetCFA(context);
  if (!address) return _URC_END_OF_STACK;
  if (!w->begun) {
    w->begun = address == w->address;
    w->frame = frame;
    return _URC_NO_REASON;
  }
  remember(w, address, frame);
  w->address = address;
  w->frame = frame;
  const uint32_t number = number_of(w->thread, address);
  if (number == LAYER) return _URC_NO_REASON;
  w->found = number;
  return _URC_NORMAL_STOP;
}

static uint32_t unwound(struct event* e) {
  struct walk w = {.thread = e->thread, .address = e->return_address};
  _Unwind_Backtrace(step, &w);
  return w.found;
}

uint32_t lat_site(struct event* e) {
  struct thread* t = e->thread;
  uintptr_t address = e->return_address;
  uint32_t number = number_of(t, address);
  for (const uint8_t* at = e->frame; LAT_UNLIKELY(number == LAYER);) {
    const struct frame* frame = frame_of(t, address);
    if (frame->address != address) return unwound(e);
    at += frame->size;
    uintptr_t caller;
    memcpy(&caller, at - sizeof caller, sizeof caller);
    const struct frame* known = caller_of(t, address, caller);
    if (known->address != address || known->caller != caller || known->size != frame->size) {
      return unwound(e);
    }
    number = number_of(t, caller);
    address = caller;
  }
  return number;
}
