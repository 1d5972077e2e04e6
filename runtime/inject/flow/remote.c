// Puts into, and gets from, the memory of another process, by which a rendezvous moves its data.
// The data go one way, and the acknowledgement (of a put) or the request (of a get) goes the other
// way: UCP learns of the end two latencies later. UCP's next step (a message to the peer that the
// data are there) is delayed as much; nobody sees that the data are in the peer's memory early.
#include <stdlib.h>

#include "../../clock/clock.h"
#include "../delay.h"
#include "../random.h"
#include "../report.h"
#include "flow.h"

/// One operation, until the transport reports that it is over; or a flush, which follows all before
/// it.
struct operation {
  struct uct_completion own;        // the transport's callback
  struct uct_completion* finished;  // UCP's callback
  struct lat_iface* iface;
  uint32_t peer;  // id of the peer's lat_source; 0: a flush
  uint64_t length, begun, there_ns, back_ns;
};

void lat_tell(struct lat_worker* worker, struct uct_completion* finished, uct_status status) {
  lat_watch_hand(&worker->watch);
  if (finished->status == UCT_OK) finished->status = status;
  if (--finished->count == 0) finished->function(finished);
}

void lat_finish(struct lat_iface* iface, struct uct_completion* finished, uct_status status) {
  --iface->operations;
  lat_tell(iface->worker, finished, status);
}

/// The peer of an operation: the operations of one endpoint follow each other, and only the
/// endpoint is known of its peer, so the endpoint represents the peer.
static uint32_t peer_of(const struct uct_ep* ep) { return (uint32_t)lat_mix((uintptr_t)ep) | 1; }

static void tell_when_due(const struct operation* operation) {
  struct lat_iface* iface = operation->iface;
  struct lat_worker* worker = iface->worker;
  struct lat_message word = {.iface = iface, .finished = operation->finished};
  word.due = iface->last_due;
  if (operation->peer) {
    struct lat_source* peer = lat_source_of(worker, operation->peer, true);
    word.due = lat_word_of_end(peer, operation->length, operation->begun, worker->look,
                               lat_now_ns(), operation->there_ns, operation->back_ns);
    word.counted = true;
    word.asked_ns = operation->back_ns;
    word.arrived = word.due - operation->back_ns;
    lat_report_delay(operation->there_ns, operation->there_ns, 0);
    if (word.due > iface->last_due) iface->last_due = word.due;
  }
  lat_wait_until_due(worker, &word, NULL);
}

/// Takes the transport's report: passes it to UCP at once if the operation failed, or if delays
/// have ended.
static void over(struct uct_completion* own) {
  struct operation* operation = (struct operation*)own;
  if (own->status == UCT_OK && lat_delay_on()) {
    tell_when_due(operation);
  } else {
    lat_finish(operation->iface, operation->finished, own->status);
  }
  free(operation);
}

static struct operation* begin(struct lat_iface* iface, struct uct_completion* finished) {
  struct operation* operation = calloc(1, sizeof *operation);
  if (!operation) abort();
  operation->own = (struct uct_completion){.function = over, .count = 1};
  operation->finished = finished;
  operation->iface = iface;
  ++iface->operations;
  return operation;
}

/// The status for UCP, if the transport returned `status` for an operation.
static uct_status begun(struct operation* operation, uct_status status) {
  if (status == UCT_OK) over(&operation->own);
  if (status >= UCT_OK) return UCT_INPROGRESS;
  --operation->iface->operations;
  free(operation);
  return status;
}

static uct_status remote(uct_remote* original, struct uct_ep* ep, const struct uct_iov* iov,
                         size_t count, uint64_t address, uintptr_t key,
                         struct uct_completion* finished) {
  struct lat_iface* iface = lat_iface_of(ep->iface);
  if (!finished || !lat_delay_on() || lat_to_itself(iface, ep)) {
    return original(ep, iov, count, address, key, finished);
  }
  struct operation* operation = begin(iface, finished);
  for (size_t i = 0; i < count; ++i) operation->length += iov[i].length * iov[i].count;
  operation->peer = peer_of(ep);
  // An operation without room is tried again later, with the same delays, so that runs repeat.
  const struct lat_stream before = *lat_delay_stream();
  operation->there_ns = lat_delay_next();
  operation->back_ns = lat_delay_next();
  operation->begun = lat_now_ns();
  const uct_status status = original(ep, iov, count, address, key, &operation->own);
  if (status < UCT_OK) lat_stream = before;
  return begun(operation, status);
}

static uct_status put_zcopy(struct uct_ep* ep, const struct uct_iov* iov, size_t count,
                            uint64_t address, uintptr_t key, struct uct_completion* finished) {
  return remote(lat_iface_of(ep->iface)->original.put_zcopy, ep, iov, count, address, key,
                finished);
}

static uct_status get_zcopy(struct uct_ep* ep, const struct uct_iov* iov, size_t count,
                            uint64_t address, uintptr_t key, struct uct_completion* finished) {
  return remote(lat_iface_of(ep->iface)->original.get_zcopy, ep, iov, count, address, key,
                finished);
}

/// Flushes an endpoint: a flush ends after UCP has learnt that all operations before it are over.
static uct_status ep_flush(struct uct_ep* ep, unsigned flags, struct uct_completion* finished) {
  struct lat_iface* iface = lat_iface_of(ep->iface);
  if (iface->operations == 0 || (flags & UCT_FLUSH_CANCEL) || lat_to_itself(iface, ep)) {
    return iface->original.ep_flush(ep, flags, finished);
  }
  if (!finished) {
    const uct_status status = iface->original.ep_flush(ep, flags, NULL);
    return status == UCT_OK ? UCT_INPROGRESS : status;
  }
  struct operation* flush = begin(iface, finished);
  return begun(flush, iface->original.ep_flush(ep, flags, &flush->own));
}

static uct_status iface_flush(struct uct_iface* iface, unsigned flags,
                              struct uct_completion* finished) {
  const struct lat_iface* ours = lat_iface_of(iface);
  const uct_status status = ours->original.iface_flush(iface, flags, finished);
  return status == UCT_OK && ours->operations > 0 ? UCT_INPROGRESS : status;
}

void lat_remote_hook(struct uct_iface_ops* ops) {
  ops->put_zcopy = put_zcopy;
  ops->get_zcopy = get_zcopy;
  ops->ep_flush = ep_flush;
  ops->iface_flush = iface_flush;
}
