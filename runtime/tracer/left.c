#define _GNU_SOURCE
#include <unwind.h>

#include "tracer.h"

// Whether the thread is still in the call in which it seems to be. An error handler, an operation
// or an attribute's callback of the program may leave an MPI call by longjmp or by an exception.
// Then no code of the wrapper runs. The place of the next wrapper on the stack shows that the call
// was left. Either that wrapper is not below the wrapper that was left, or it is below it but
// called through a function that another call site has called. To detect the latter takes a walk up
// the stack, so a thread remembers the calls within calls that it has seen: MPI libraries make the
// same ones repeatedly.

static struct nested* place_of(struct thread* t, const struct nested* call) {
  const uint64_t key =
      (uint64_t)call->address ^ (uint64_t)call->outermost << 20 ^ call->apart << 40;
  return &t->nested[(key * 0x9E3779B97F4A7C15u) >> 32 & (LAT_NESTED_CACHE - 1)];
}

struct walk {
  bool found, passed;
};

static _Unwind_Reason_Code step(struct _Unwind_Context* context, void* data) {
  struct walk* w = data;
  const uint8_t* frame = (const uint8_t*)_Unwind_GetCFA(context);
  if (frame < lat_outermost.frame) return _URC_NO_REASON;
  w->passed = true;
  w->found = frame == lat_outermost.frame && _Unwind_GetIP(context) == lat_outermost.address;
  return _URC_NORMAL_STOP;
}

/// Programs may switch to stacks of their own, whose addresses are not related to each other.
static bool on_threads_stack(const uint8_t* frame) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  void* lowest = NULL;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  const uint8_t* low = lowest;
  return frame >= low && frame <= low + size;
}

bool lat_left(uintptr_t address, const uint8_t* frame) {
  if (lat_outermost.frame == LAT_OWN_WORK) return false;
  if (frame >= lat_outermost.frame) {
    return on_threads_stack(frame) && on_threads_stack(lat_outermost.frame);
  }
  const struct nested call = {address, lat_outermost.address,
                              (size_t)(lat_outermost.frame - frame)};
  struct nested* known = place_of(lat_self, &call);
  if (LAT_LIKELY(known->address == call.address && known->outermost == call.outermost &&
                 known->apart == call.apart)) {
    return false;
  }
  struct walk w = {false, false};
  _Unwind_Backtrace(step, &w);
  if (w.passed && !w.found) return true;
  *known = call;
  return false;
}
