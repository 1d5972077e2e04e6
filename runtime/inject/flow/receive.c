// Receiving: the stamp is removed, the message waits until it is due, and then goes to UCP. Ends of
// operations wait in the same heap.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "../../clock/clock.h"
#include "../report.h"
#include "flow.h"

enum { NEAR_NS = 1000 };

static uct_status deliver(const struct lat_slot* slot, void* data, size_t length) {
  lat_watch_hand(&slot->iface->worker->watch);
  // Without the flag that lets UCP keep the memory: the memory belongs to the transport, or is
  // freed afterwards.
  return slot->handler(slot->argument, data, length, 0);
}

void lat_wait_until_due(struct lat_worker* worker, const struct lat_message* what,
                        const void* data) {
  struct lat_message* message = malloc(sizeof *message + what->length);
  if (!message) abort();
  *message = *what;
  message->order = worker->arrivals++;
  if (what->length) memcpy(message->data, data, what->length);
  if (!lat_heap_push(&worker->waiting, message)) abort();
}

uct_status lat_receive(void* argument, void* data, size_t length, unsigned flags) {
  (void)flags;
  struct lat_slot* slot = argument;
  struct lat_worker* worker = slot->iface->worker;
  worker->found = true;
  struct lat_stamp stamp = {0};
  if (length >= sizeof stamp) memcpy(&stamp, data, sizeof stamp);
  if (stamp.mark != LAT_MARK) lat_refuse_peer();
  data = (unsigned char*)data + sizeof stamp;
  length -= sizeof stamp;
  if (slot->undelayed || (!stamp.sent && worker->waiting.count == 0)) {
    lat_count_up(&lat_report->passed);
    return deliver(slot, data, length);
  }
  const uint64_t found = lat_now_ns();
  struct lat_source* source = lat_source_of(worker, stamp.process, stamp.node == lat_node());
  struct lat_message message = {
      .iface = slot->iface, .slot = slot, .length = length, .asked_ns = stamp.delay_ns};
  message.counted = stamp.sent != 0;
  message.arrived =
      stamp.sent ? lat_arrival(source, length, stamp.sent, worker->look, found) : found;
  message.due = message.arrived + stamp.delay_ns;
  if (message.due < source->released) message.due = source->released;  // not before earlier ones
  source->released = message.due;
  if (message.due <= found && worker->waiting.count == 0) {
    lat_report_delay(message.asked_ns, found - message.arrived,
                     lat_watch_late(&worker->watch, message.due, found));
    return deliver(slot, data, length);
  }
  lat_wait_until_due(worker, &message, data);
  return UCT_OK;
}

/// Whether the earliest message goes now. Polling the network takes about NEAR_NS. A message due
/// before the poll would end is awaited; otherwise it would be late by half of that time on
/// average.
static bool is_due(const struct lat_heap* waiting, uint64_t* now) {
  if (waiting->count == 0 || waiting->items[0]->due > *now + NEAR_NS) return false;
  if (waiting->items[0]->due > *now) *now = lat_wait_until(waiting->items[0]->due);
  return true;
}

unsigned lat_release(void* argument) {
  struct lat_worker* worker = argument;
  uint64_t now = lat_now_ns();
  // In a round of progress the transport may be polled before or after the injector, so only the
  // poll in the last round counts. If that poll found something, more messages may be left, which
  // had come before.
  if (!worker->found) worker->look.in_vain = worker->called;
  worker->look.last = worker->watched;
  worker->called = now;
  lat_watch_look(&worker->watch, now);
  unsigned released = 0;
  while (is_due(&worker->waiting, &now)) {
    struct lat_message* message = lat_heap_pop(&worker->waiting);
    if (message->counted) {
      lat_report_delay(message->asked_ns, now - message->arrived,
                       lat_watch_late(&worker->watch, message->due, now));
    }
    if (message->finished) {
      lat_finish(message->iface, message->finished, UCT_OK);
    } else {
      deliver(message->slot, message->data, message->length);
    }
    free(message);
    ++released;
    now = lat_now_ns();
  }
  const struct lat_heap* waiting = &worker->waiting;
  worker->watched = lat_idle_round(&worker->idle, worker->found || released > 0, now,
                                   waiting->count ? waiting->items[0]->due : UINT64_MAX);
  if (worker->watched > now) {  // woken by the next message found
    worker->look.last = worker->watched;
    lat_watch_sleep(&worker->watch, worker->watched);
  }
  worker->found = false;
  return released;
}

static bool every(const struct lat_message* message, const void* unused) {
  (void)message;
  (void)unused;
  return true;
}

void lat_worker_free(struct lat_worker* worker) {
  lat_heap_drop(&worker->waiting, every, NULL);
  lat_idle_end(&worker->idle);
  free(worker->waiting.items);
  free(worker->sources);
  free(worker);
}
