#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>

#include "tracer.h"

// A chunk is written when it is full, and once per second, so that a killed run has a recent trace.
enum { FULL = 64 * 1024, EVENT_FIELDS = 512 };
static const uint64_t longest_ns = 1000000000;

_Thread_local struct thread* lat_self;
static struct thread* _Atomic threads;
static atomic_uint thread_count;
static pthread_key_t at_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static _Atomic uint32_t indices[CALL_count];  // numbers of calls in the file, from 1
static uint32_t calls_defined;

static void busy_wait(struct thread* t) {
  while (atomic_exchange_explicit(&t->busy, true, memory_order_acquire)) sched_yield();
}
static void idle(struct thread* t) { atomic_store_explicit(&t->busy, false, memory_order_release); }

static void ended(void* thread) {
  struct thread* t = thread;
  busy_wait(t);
  if (atomic_load(&lat_state) == LAT_ON) lat_thread_write(t);
  free(t->chunk.data);
  t->chunk = (struct lat_bytes){0};
  t->records = 0;
  idle(t);
  free(t->handles);
  free(t->taken);
  free(t->statuses);
  free(t->stacks);
}

static void make_key(void) { pthread_key_create(&at_exit, ended); }

struct thread* lat_thread_attach(void) {
  pthread_once(&once, make_key);
  struct thread* t = lat_allocate(NULL, sizeof *t);
  memset(t, 0, sizeof *t);
  t->number = (uint16_t)atomic_fetch_add(&thread_count, 1);
  lat_room(&t->chunk, FULL + EVENT_FIELDS);
  t->chunk.used = LAT_CHUNK_HEADER;
  t->left = t->chunk_time = lat_now_ns();
  t->write_at = t->left + longest_ns;
  if (lat_cpu_clock) t->left_cpu = lat_cpu_ns();
  t->until_timed = t->times.every = 1;
  lat_look_first(t);
  t->next = atomic_load(&threads);
  while (!atomic_compare_exchange_weak(&threads, &t->next, t)) {
  }
  pthread_setspecific(at_exit, t);
  lat_self = t;
  return t;
}

void lat_thread_write(struct thread* t) {
  if (t->records) lat_file_write(LAT_EVENTS, t->number, t->records, t->chunk_time, &t->chunk);
  t->chunk.used = LAT_CHUNK_HEADER;
  t->records = 0;
  t->chunk_time = t->left;
  t->last_request = 0;
}

void lat_threads_write(void) {
  for (struct thread* t = atomic_load(&threads); t; t = t->next) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      if (!atomic_exchange_explicit(&t->busy, true, memory_order_acquire)) {
        lat_thread_write(t);
        idle(t);
        break;
      }
      sched_yield();
    }
  }
}

const struct thread* lat_threads(void) { return atomic_load(&threads); }

void lat_threads_counts(struct lat_bytes* b) {
  uint64_t sum[CALL_count] = {0};
  for (struct thread* t = atomic_load(&threads); t; t = t->next) {
    for (int call = 0; call < CALL_count; ++call) sum[call] += t->calls[call];
  }
  uint64_t names = 0;
  for (int call = 0; call < CALL_count; ++call) names += sum[call] > 0;
  lat_room(b, LAT_VARINT);
  lat_put(b, names);
  for (int call = 0; call < CALL_count; ++call) {
    if (!sum[call]) continue;
    lat_put_string(b, lat_call_names[call]);
    lat_room(b, LAT_VARINT);
    lat_put(b, sum[call]);
  }
}

/// The call's number in the file; a new call is first defined.
static uint32_t index_of(enum call call) {
  uint32_t index = atomic_load_explicit(&indices[call], memory_order_relaxed);
  if (LAT_LIKELY(index)) return index - 1;
  struct lat_bytes* bytes = lat_define_begin(LAT_CALLS);
  index = atomic_load(&indices[call]);
  const bool unknown = !index;
  if (unknown) {
    lat_put_string(bytes, lat_call_names[call]);
    lat_put_string(bytes, lat_call_shapes[call]);
    index = ++calls_defined;
    atomic_store(&indices[call], index);
  }
  lat_define_end(LAT_CALLS, unknown);
  return index - 1;
}

static void begin(struct event* e, uint32_t site) {
  struct thread* t = e->thread;
  const uint32_t index = index_of(e->call);
  lat_room(&t->chunk, EVENT_FIELDS);
  e->begin = t->chunk.used;
  lat_put(&t->chunk, index);
  lat_put(&t->chunk, e->enter - t->left);
  e->duration = t->chunk.used;
  t->chunk.used += 2 * LAT_VARINT;
  lat_put(&t->chunk, site);
}

void lat_open(struct event* e) {
  uint32_t site = 0;
  if (e->return_address) site = lat_stack_depth ? lat_stack(e) : lat_site(e);
  busy_wait(e->thread);
  begin(e, site);
}

/// Removes the free bytes between the call's gap and its site, now that the duration is known.
static void fill(struct event* e, uint64_t duration) {
  struct lat_bytes* chunk = &e->thread->chunk;
  const uint8_t* tail = chunk->data + e->duration + 2 * LAT_VARINT;
  const size_t size = (size_t)(chunk->data + chunk->used - tail);
  uint8_t* at = lat_encode(chunk->data + e->duration, duration);
  if (lat_cpu_clock) at = lat_encode(at, e->cpu_gap);
  memmove(at, tail, size);
  chunk->used = (size_t)(at + size - chunk->data);
}

/// Ends the event at `left`, or, if that is 0, now.
static void end(struct event* e, uint64_t left) {
  struct thread* t = e->thread;
  if (lat_cpu_clock) t->left_cpu = lat_cpu_ns();
  t->left = left ? left : lat_now_ns();
  fill(e, t->left - e->enter);
  ++t->records;
}

static void pause(struct thread* t) {
  struct event e = {.thread = t, .call = CALL_latitude_pause, .enter = t->left};
  begin(&e, 0);
  end(&e, 0);
}

void lat_polls(struct event* e) {
  struct thread* t = e->thread;
  struct event own = *e;
  own.call = CALL_latitude_polls;
  own.enter = t->first_failed;
  own.cpu_gap = lat_cpu_clock ? t->first_failed_cpu - t->left_cpu : 0;
  busy_wait(t);
  begin(&own, 0);
  lat_put(&t->chunk, 2 * (uint64_t)t->failed + t->found);
  fill(&own, 0);
  ++t->records;
  t->left = own.enter;
  t->left_cpu = t->first_failed_cpu;
  t->failed = 0;
  idle(t);
  e->cpu_gap -= own.cpu_gap;
}

void lat_long_gap(struct event* e) {
  struct thread* t = e->thread;
  uint64_t away_ns = 0;
  uint64_t waited_ns = 0;
  const bool away = lat_look_at_gap(e, &away_ns, &waited_ns);
  struct event own = *e;  // the clock reading belongs to the tracer, the gap before it to the
                          // thread
  own.call = away ? CALL_latitude_absence : CALL_latitude_pause;
  busy_wait(t);
  begin(&own, 0);
  if (away) {
    lat_put(&t->chunk, away_ns);
    lat_put(&t->chunk, waited_ns == LAT_NOT_KNOWN ? 0 : waited_ns + 1);
  }
  end(&own, 0);
  idle(t);
  e->enter = t->left;
  e->cpu_gap = 0;
}

void lat_close(struct event* e) {
  struct thread* t = e->thread;
  end(e, e->returned);
  if (LAT_UNLIKELY(e->returned)) pause(t);
  if (LAT_UNLIKELY(lat_look_at_call(t))) pause(t);
  if (LAT_UNLIKELY(t->chunk.used >= FULL || t->left > t->write_at)) {
    lat_thread_write(t);
    pause(t);
    t->write_at = t->left + longest_ns;
  }
  idle(t);
}

void lat_discard(struct event* e) {
  e->thread->chunk.used = e->begin;
  idle(e->thread);
}
