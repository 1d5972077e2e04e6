#pragma once

#include <sched.h>
#include <stdatomic.h>

/// Held only for a few instructions.
typedef atomic_flag lat_spin;

static inline void lat_lock(lat_spin* lock) {
  while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire)) sched_yield();
}
static inline void lat_unlock(lat_spin* lock) {
  atomic_flag_clear_explicit(lock, memory_order_release);
}
