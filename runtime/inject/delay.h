#ifndef LATITUDE_INJECT_DELAY_H
#define LATITUDE_INJECT_DELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "random.h"
#include "table.h"

/// Reads table and seed, opens the report, and installs the reload on SIGHUP (unless the program
/// has a handler of its own). Returns at once if this has been done. If table or seed is missing,
/// the delays stay off, with one warning, as in Algorithm 1 of Underwood et al. 2018.
void lat_delay_setup(void);

/// Ends the delays: messages on their way arrive, and later ones are not delayed.
void lat_delay_stop(void);

/// Whether any delay is to be injected.
static inline bool lat_delay_on(void);

/// The next delay of this thread, ns.
static inline uint64_t lat_delay_next(void);

struct lat_stream;

/// This thread's series, after its start: a caller that did not use its draw restores a copy of the
/// series.
static inline struct lat_stream* lat_delay_stream(void);

/// Begins a series that belongs to no thread: its own, and repeatable for equal `which`.
void lat_delay_start_stream(struct lat_stream* stream, uint64_t which);

/// The next delay of `stream`, ns.
static inline uint64_t lat_delay_from(struct lat_stream* stream);

/// Takes back this thread's last draw: the message was not sent.
static inline void lat_delay_undo(void);

struct lat_stream {
  uint32_t state;  // 0 until the thread has drawn
  uint32_t before;
};

extern const uint64_t* lat_delay_table;  // NULL while off
extern bool lat_delay_reload_asked;
extern _Thread_local struct lat_stream lat_stream;

void lat_delay_start_thread(void);
void lat_delay_reload(void);

static inline bool lat_delay_on(void) {
  return __atomic_load_n(&lat_delay_table, __ATOMIC_ACQUIRE) != NULL;
}

static inline uint64_t lat_delay_from(struct lat_stream* stream) {
  if (__builtin_expect(__atomic_load_n(&lat_delay_reload_asked, __ATOMIC_RELAXED), 0)) {
    lat_delay_reload();
  }
  const uint64_t* table = __atomic_load_n(&lat_delay_table, __ATOMIC_ACQUIRE);
  if (!table) return 0;
  stream->before = stream->state;
  stream->state = lat_lcg_next(stream->state);
  return table[stream->state & (LAT_TABLE_SIZE - 1)];
}

static inline struct lat_stream* lat_delay_stream(void) {
  if (__builtin_expect(lat_stream.state == 0, 0)) lat_delay_start_thread();
  return &lat_stream;
}

static inline uint64_t lat_delay_next(void) { return lat_delay_from(lat_delay_stream()); }

static inline void lat_delay_undo(void) { lat_stream.state = lat_stream.before; }

#endif
