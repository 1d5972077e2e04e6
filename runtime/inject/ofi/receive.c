// Receiving: the stamp is removed, and the completion waits until it is due.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "../../clock/clock.h"
#include "../delay.h"
#include "../random.h"
#include "../report.h"
#include "ofi.h"

enum { HALF = 32, POSTED = 4096, MOST_PEEKS = 64, NEAR_NS = 1000, POLL_NS = 20000 };

// The times of postings of receives, by a hash of their contexts: a later posting may hide an
// earlier one, which then counts as posted later.
static uint64_t posted[POSTED];

// Queries for a message (FI_PEEK) without an answer so far.
static const void* peeks[MOST_PEEKS];
static int peek_count;
static pthread_mutex_t peeking = PTHREAD_MUTEX_INITIALIZER;

static uint64_t* place_of(const void* context) {
  return &posted[lat_mix((uintptr_t)context) % POSTED];
}

static void remember_peek(const void* context) {
  pthread_mutex_lock(&peeking);
  if (peek_count < MOST_PEEKS) {
    peeks[peek_count] = context;
    __atomic_store_n(&peek_count, peek_count + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&peeking);
}

void lat_posted(const void* context, uint64_t flags) {
  if (!lat_delay_on()) return;
  if ((flags & OFI_PEEK) && !(flags & (OFI_CLAIM | OFI_DISCARD))) {
    remember_peek(context);
  } else {
    __atomic_store_n(place_of(context), lat_now_ns(), __ATOMIC_RELAXED);
  }
}

uint64_t lat_posted_at(const void* context) {
  return __atomic_load_n(place_of(context), __ATOMIC_RELAXED);
}

bool lat_peek_ended(const void* context) {
  if (__atomic_load_n(&peek_count, __ATOMIC_ACQUIRE) == 0) return false;
  bool found = false;
  pthread_mutex_lock(&peeking);
  for (int i = 0; i < peek_count && !found; ++i) {
    if (peeks[i] != context) continue;
    peeks[i] = peeks[peek_count - 1];
    __atomic_store_n(&peek_count, peek_count - 1, __ATOMIC_RELEASE);
    found = true;
  }
  pthread_mutex_unlock(&peeking);
  return found;
}

/// Removes the stamp; 0 if it is missing. Some providers forget to flag the data of a message that
/// came before its receive.
static uint32_t take_stamp(struct ofi_entry* entry) {
  const uint64_t stamp = entry->data >> HALF;
  if (!stamp) return 0;
  entry->data &= (1ull << HALF) - 1;
  if (!(stamp & 1)) entry->flags &= ~OFI_REMOTE_CQ_DATA;
  return (uint32_t)(stamp >> 1);
}

/// The arrival of the message. A poll without success is evidence only if the receive was posted by
/// then. A receiver that only polls finds a message within a part of POLL_NS after its arrival,
/// with the added latency as without it. In that case the delay counts from the time of finding.
static uint64_t arrival(struct lat_cq* cq, struct lat_ofi_source* source,
                        const struct ofi_entry* entry, uint32_t stamp, bool peek, uint64_t found) {
  if (!cq->stamped) return found;
  const uint64_t sent = lat_stamp_time(source, stamp, found);
  const bool expected = !peek && lat_posted_at(entry->context) < cq->looked;
  const uint64_t looked = expected ? cq->looked : 0;
  const struct lat_look look = {looked, looked};
  uint64_t arrived = lat_arrival(&source->source, entry->length, sent, look, found);
  if (found - looked < POLL_NS) arrived = found;
  if (peek && source->peeked != stamp) {
    source->peeked = stamp;
    source->peeked_at = found;
  }
  return source->peeked == stamp && source->peeked_at < arrived ? source->peeked_at : arrived;
}

static void wait_until(struct lat_cq* cq, const struct lat_message* what,
                       const struct lat_completion* completion) {
  struct lat_message* message = malloc(sizeof *message + sizeof *completion);
  if (!message) abort();
  *message = *what;
  message->order = cq->arrivals++;
  message->length = sizeof *completion;
  memcpy(message->data, completion, sizeof *completion);
  if (!lat_heap_push(&cq->waiting, message)) abort();
}

/// Whether a completion's buffer, which holds several messages, is returned later: with the last of
/// its messages. If others wait longer than this message, the last of those returns the buffer. A
/// due time of 0 is for messages that go at once.
static bool give_back_later(struct lat_cq* cq, struct ofi_entry* entry, uint64_t due) {
  struct lat_completion* last = NULL;
  for (size_t i = 0; i < cq->waiting.count; ++i) {
    struct lat_message* message = cq->waiting.items[i];
    struct lat_completion* held = (struct lat_completion*)message->data;
    if (held->entry.context != entry->context || message->due <= due) continue;
    due = message->due;
    last = held;
  }
  if (!last) return false;
  last->entry.flags |= OFI_MULTI_RECV;
  entry->flags &= ~OFI_MULTI_RECV;
  return true;
}

/// Whether a query for a message finds nothing: the message does not exist before it is due.
static bool hidden(struct lat_cq* cq, struct lat_ofi_source* source, const struct ofi_entry* entry,
                   uint64_t arrived, uint64_t found) {
  struct lat_stream draws = source->draws;  // the receive itself will draw this again
  uint64_t due = arrived + lat_delay_from(&draws);
  if (due < source->source.released) due = source->source.released;
  if (due <= found) return false;
  struct lat_failure* failure = calloc(1, sizeof *failure);
  if (!failure) abort();
  failure->error = (struct ofi_error){
      .context = entry->context,
      .flags = entry->flags,
      .tag = entry->tag,
      .error = OFI_NO_MESSAGE,
      .provider_error = -OFI_NO_MESSAGE,
  };
  *cq->last_failure = failure;
  cq->last_failure = &failure->next;
  return true;
}

void lat_take(struct lat_cq* cq, struct lat_completion* completion, uint64_t found) {
  struct ofi_entry* entry = &completion->entry;
  if (!(entry->flags & OFI_RECV) || (entry->flags & (OFI_SEND | OFI_RMA | OFI_ATOMIC))) {
    const bool only_gives_back = (entry->flags & OFI_MULTI_RECV) && !(entry->flags & OFI_SEND);
    if (!only_gives_back || !give_back_later(cq, entry, 0)) lat_make_ready(cq, completion);
    return;
  }
  const bool peek = lat_peek_ended(entry->context);
  const uint32_t stamp = cq->stamped ? take_stamp(entry) : 1;
  struct lat_ofi_source* source = lat_source_at(&cq->sources, completion->source);
  struct lat_message message = {.counted = stamp && lat_delay_on(), .arrived = found, .due = found};
  if (message.counted) {
    message.arrived = arrival(cq, source, entry, stamp, peek, found);
    if (peek && cq->stamped && hidden(cq, source, entry, message.arrived, found)) return;
    message.asked_ns = peek ? 0 : lat_delay_from(&source->draws);
    message.due = message.arrived + message.asked_ns;
  }
  if (!peek) {
    if (message.due < source->source.released) message.due = source->source.released;
    source->source.released = message.due;  // not before earlier ones
  }
  if (entry->flags & OFI_MULTI_RECV) give_back_later(cq, entry, message.due);
  if (message.due > found) {
    wait_until(cq, &message, completion);
    return;
  }
  if (message.counted && !peek) {
    // A message that came before its receive was posted could not be delivered earlier than the
    // posting.
    const uint64_t post = lat_posted_at(entry->context);
    const uint64_t unused = post > message.due && post < found ? post - message.due : 0;
    lat_report_delay(message.asked_ns, found - message.arrived - unused,
                     lat_watch_late(&cq->watch, message.due + unused, found));
  } else if (!peek) {
    lat_count_up(&lat_report->passed);
  }
  lat_make_ready(cq, completion);
}

/// Whether the earliest message goes now. Polling the provider takes about NEAR_NS. A message due
/// before the poll would end is awaited; otherwise it would be late by half of that time on
/// average.
static bool is_due(const struct lat_heap* waiting, uint64_t* now) {
  if (waiting->count == 0 || waiting->items[0]->due > *now + NEAR_NS) return false;
  if (waiting->items[0]->due > *now) *now = lat_wait_until(waiting->items[0]->due);
  return true;
}

void lat_release_due(struct lat_cq* cq) {
  if (cq->waiting.count == 0) return;
  uint64_t now = lat_now_ns();
  while (is_due(&cq->waiting, &now)) {
    struct lat_message* message = lat_heap_pop(&cq->waiting);
    if (message->counted) {
      lat_report_delay(message->asked_ns, now - message->arrived,
                       lat_watch_late(&cq->watch, message->due, now));
    } else {
      lat_count_up(&lat_report->passed);
    }
    lat_make_ready(cq, (const struct lat_completion*)message->data);
    free(message);
  }
}
