// Completion queues: reading them, and waiting at them.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../clock/clock.h"
#include "../report.h"
#include "ofi.h"

enum { BATCH = 16, FIRST_ROOM = 64, MS = 1000000, SPIN_NS = 2 * MS };

static struct lat_cq* queues;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
/// The queue whose provider this thread has called: some providers call their own functions through
/// the tables that now hold the injector's functions.
static _Thread_local const struct lat_cq* inside;

static struct lat_cq* ours_of(const struct ofi_cq* cq) {
  return LAT_AROUND(cq->ops, struct lat_cq, ops);
}

void lat_make_ready(struct lat_cq* cq, const struct lat_completion* completion) {
  if (cq->ready_count == cq->ready_room) {
    const size_t room = cq->ready_room ? 2 * cq->ready_room : FIRST_ROOM;
    struct lat_completion* ready = malloc(room * sizeof *ready);
    if (!ready) abort();
    for (size_t i = 0; i < cq->ready_count; ++i) {
      ready[i] = cq->ready[(cq->first_ready + i) % cq->ready_room];
    }
    free(cq->ready);
    cq->ready = ready;
    cq->ready_room = room;
    cq->first_ready = 0;
  }
  cq->ready[(cq->first_ready + cq->ready_count++) % cq->ready_room] = *completion;
}

static size_t size_of(int format) {
  switch (format) {
    case OFI_CQ_MSG:
      return offsetof(struct ofi_entry, buffer);
    case OFI_CQ_DATA:
      return offsetof(struct ofi_entry, tag);
    case OFI_CQ_TAGGED:
      return sizeof(struct ofi_entry);
    default:
      return offsetof(struct ofi_entry, flags);
  }
}

static size_t hand_out(struct lat_cq* cq, void* entries, size_t count, uint64_t* sources) {
  const size_t size = size_of(cq->format);
  size_t given = 0;
  for (; given < count && cq->ready_count; ++given) {
    const struct lat_completion* next = &cq->ready[cq->first_ready];
    memcpy((char*)entries + given * size, &next->entry, size);
    if (sources) sources[given] = next->source;
    cq->first_ready = (cq->first_ready + 1) % cq->ready_room;
    --cq->ready_count;
  }
  return given;
}

/// Takes all completions of the provider. Returns its last status: no more completions, or an
/// error.
static ssize_t look(struct lat_cq* cq) {
  struct ofi_entry entries[BATCH];
  uint64_t sources[BATCH];
  ssize_t got = BATCH;
  lat_watch_look(&cq->watch, lat_now_ns());
  while (got == BATCH) {
    for (int i = 0; i < BATCH; ++i) sources[i] = OFI_ADDRESS_UNKNOWN;
    const uint64_t began = lat_now_ns();
    const struct lat_cq* outer = inside;
    inside = cq;
    got = cq->original->readfrom(cq->cq, entries, BATCH, sources);
    inside = outer;
    if (got == -OFI_AGAIN) cq->looked = began;
    if (got <= 0) break;
    const uint64_t found = lat_now_ns();
    for (ssize_t i = 0; i < got; ++i) {
      struct lat_completion completion = {entries[i], sources[i]};
      lat_take(cq, &completion, found);
    }
  }
  return got < 0 ? got : -OFI_AGAIN;
}

static ssize_t cq_readfrom(struct ofi_cq* fid, void* entries, size_t count, uint64_t* sources) {
  struct lat_cq* cq = ours_of(fid);
  if (inside == cq) return cq->original->readfrom(fid, entries, count, sources);
  pthread_mutex_lock(&cq->lock);
  ssize_t status = look(cq);
  lat_release_due(cq);
  const size_t given = hand_out(cq, entries, count, sources);
  if (given || (count == 0 && cq->ready_count)) {
    status = (ssize_t)given;
  } else if (cq->failures) {
    status = -OFI_ERROR_AVAILABLE;
  }
  if (status != -OFI_AGAIN) lat_watch_hand(&cq->watch);
  pthread_mutex_unlock(&cq->lock);
  return status;
}

static ssize_t cq_read(struct ofi_cq* cq, void* entries, size_t count) {
  return cq_readfrom(cq, entries, count, NULL);
}

static ssize_t cq_readerr(struct ofi_cq* fid, struct ofi_error* error, uint64_t flags) {
  struct lat_cq* cq = ours_of(fid);
  if (inside == cq) return cq->original->readerr(fid, error, flags);
  pthread_mutex_lock(&cq->lock);
  struct lat_failure* first = cq->failures;
  if (first) {
    cq->failures = first->next;
    if (!cq->failures) cq->last_failure = &cq->failures;
    *error = first->error;
    free(first);
  }
  pthread_mutex_unlock(&cq->lock);
  if (first) return 1;
  const ssize_t status = cq->original->readerr(fid, error, flags);
  if (status > 0) lat_peek_ended(error->context);
  return status;
}

/// Longest sleep of the provider until a message is due, at most `limit_ms` (−1: unlimited); 0 if
/// it must not sleep.
static int may_sleep_ms(struct lat_cq* cq, int limit_ms) {
  pthread_mutex_lock(&cq->lock);
  uint64_t due = cq->waiting.count ? cq->waiting.items[0]->due : UINT64_MAX;
  if (cq->ready_count || cq->failures) due = 0;
  pthread_mutex_unlock(&cq->lock);
  if (due == UINT64_MAX) return limit_ms;
  const uint64_t now = lat_now_ns();
  if (due < now + SPIN_NS) return 0;
  const uint64_t left_ms = (due - now) / MS - 1;
  return limit_ms >= 0 && (uint64_t)limit_ms < left_ms ? limit_ms : (int)left_ms;
}

static void sleep_at(struct lat_cq* cq, const void* condition, int ms) {
  struct lat_completion completion = {.source = OFI_ADDRESS_UNKNOWN};
  inside = cq;
  const ssize_t got =
      cq->original->sreadfrom(cq->cq, &completion.entry, 1, &completion.source, condition, ms);
  inside = NULL;
  const uint64_t found = lat_now_ns();
  pthread_mutex_lock(&cq->lock);
  lat_watch_sleep(&cq->watch, found);
  if (got == 1) {
    cq->looked = found;  // an earlier arrival would have ended the sleep
    lat_take(cq, &completion, found);
  }
  pthread_mutex_unlock(&cq->lock);
}

static ssize_t cq_sreadfrom(struct ofi_cq* fid, void* entries, size_t count, uint64_t* sources,
                            const void* condition, int timeout_ms) {
  struct lat_cq* cq = ours_of(fid);
  if (inside == cq) {
    return cq->original->sreadfrom(fid, entries, count, sources, condition, timeout_ms);
  }
  const uint64_t begin = lat_now_ns();
  for (;;) {
    const ssize_t status = cq_readfrom(fid, entries, count, sources);
    if (status != -OFI_AGAIN) return status;
    const uint64_t passed_ms = (lat_now_ns() - begin) / MS;
    if (timeout_ms >= 0 && passed_ms >= (uint64_t)timeout_ms) return status;
    const int left_ms = timeout_ms < 0 ? -1 : timeout_ms - (int)passed_ms;
    const int ms = may_sleep_ms(cq, left_ms);
    if (ms == 0) continue;
    sleep_at(cq, condition, ms);
    // The sleep ended for a completion, at its time limit, or because a thread has signalled the
    // queue.
    if (ms == left_ms && may_sleep_ms(cq, -1) == -1) {
      return cq_readfrom(fid, entries, count, sources);
    }
  }
}

static ssize_t cq_sread(struct ofi_cq* cq, void* entries, size_t count, const void* condition,
                        int timeout_ms) {
  return cq_sreadfrom(cq, entries, count, NULL, condition, timeout_ms);
}

static bool holds(struct lat_cq* cq) {
  pthread_mutex_lock(&cq->lock);
  const bool held = cq->waiting.count || cq->ready_count || cq->failures;
  pthread_mutex_unlock(&cq->lock);
  return held;
}

static bool every(const struct lat_message* message, const void* unused) {
  (void)message;
  (void)unused;
  return true;
}

static void end(struct lat_object* object) {
  struct lat_cq* cq = LAT_AROUND(object, struct lat_cq, object);
  pthread_mutex_lock(&changing);
  struct lat_cq** link = &queues;
  while (*link && *link != cq) link = &(*link)->next;
  if (*link) *link = cq->next;
  pthread_mutex_unlock(&changing);
  lat_heap_drop(&cq->waiting, every, NULL);
  free(cq->waiting.items);
  free(cq->ready);
  while (cq->failures) {
    struct lat_failure* first = cq->failures;
    cq->failures = first->next;
    free(first);
  }
  lat_sources_free(&cq->sources);
  pthread_mutex_destroy(&cq->lock);
  free(cq);
}

bool lat_cq_holds(const struct ofi_fid* fid) {
  struct lat_object* object = lat_object_of(fid);
  return object && object->end == end && holds(LAT_AROUND(object, struct lat_cq, object));
}

bool lat_any_cq_holds(void) {
  bool held = false;
  pthread_mutex_lock(&changing);
  for (struct lat_cq* cq = queues; cq && !held; cq = cq->next) held = holds(cq);
  pthread_mutex_unlock(&changing);
  return held;
}

void lat_cq_hook(struct ofi_cq* fid, int format, bool stamped) {
  struct lat_cq* cq = calloc(1, sizeof *cq);
  if (!cq) abort();
  cq->cq = fid;
  cq->format = format;
  cq->stamped = stamped;
  cq->last_failure = &cq->failures;
  pthread_mutex_init(&cq->lock, NULL);
  lat_object_begin(&cq->object, &fid->fid, end);
  cq->original = fid->ops;
  lat_table_copy(&cq->ops, sizeof cq->ops, fid->ops);
  cq->ops.read = cq_read;
  cq->ops.readfrom = cq_readfrom;
  cq->ops.readerr = cq_readerr;
  cq->ops.sread = cq_sread;
  cq->ops.sreadfrom = cq_sreadfrom;
  fid->ops = &cq->ops;
  pthread_mutex_lock(&changing);
  cq->next = queues;
  queues = cq;
  pthread_mutex_unlock(&changing);
  lat_count_up(&lat_report->hooked);
}
