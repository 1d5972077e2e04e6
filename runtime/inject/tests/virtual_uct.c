// The shared library libuct.so of virtual_uct.h.
#include "virtual_uct.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../clock/tests/virtual_clock.h"
#include "../../preload/uct.h"

enum { MOST_CALLBACKS = 4, MOST_BYTES = 1 << 20, NO_RESOURCE = -2 };

/// An arrival at a rank: a message, or the report that an operation or a flush of its own is over.
struct arrival {
  struct arrival* next;
  uint64_t moment;
  struct uct_completion* finished;
  uint8_t id;
  size_t length;
  unsigned char data[];
};

struct iface {
  struct uct_iface base;
  int rank, descriptor;
  struct arrival* coming;  // by moment
  struct {
    uct_handler* function;
    void* argument;
  } handlers[UCT_MOST_IDS];
  struct {
    uct_callback* function;
    void* argument;
  } callbacks[MOST_CALLBACKS];
  uint64_t last;  // end of the last operation
  bool turned_away;
};

struct endpoint {
  struct uct_ep base;
  int to;
};

struct virtual_network virtual_network;
static struct iface ifaces[VIRTUAL_MOST_RANKS];

static struct iface* iface_of(const struct uct_ep* ep) { return (struct iface*)ep->iface; }
static int peer_of(const struct uct_ep* ep) { return ((const struct endpoint*)ep)->to; }

static void add(int rank, struct arrival* what) {
  struct arrival** link = &ifaces[rank].coming;
  while (*link && (*link)->moment <= what->moment) link = &(*link)->next;
  what->next = *link;
  *link = what;
  virtual_ready(ifaces[rank].descriptor, ifaces[rank].coming->moment);
}

static bool no_room(struct uct_ep* ep) {
  struct iface* iface = iface_of(ep);
  iface->turned_away = virtual_network.full && !iface->turned_away;
  return iface->turned_away;
}

static uint64_t wire_ns(size_t length) {
  return virtual_network.latency_ns + length * virtual_network.kilobyte_ns / 1000;
}

static void deliver(uint64_t sent, int to, uint8_t id, const void* data, size_t length) {
  struct arrival* message = calloc(1, sizeof *message + length);
  message->moment = sent + wire_ns(length);
  message->id = id;
  message->length = length;
  memcpy(message->data, data, length);
  add(to, message);
}

void virtual_uct_send_at(uint64_t moment, int to, uint8_t id, uint64_t header) {
  deliver(moment, to, id, &header, sizeof header);
}

static uct_status am_short(struct uct_ep* ep, uint8_t id, uint64_t header, const void* payload,
                           unsigned length) {
  if (no_room(ep)) return NO_RESOURCE;
  unsigned char* data = malloc(sizeof header + length);
  memcpy(data, &header, sizeof header);
  if (length) memcpy(data + sizeof header, payload, length);
  virtual_pass(virtual_network.overhead_ns);
  deliver(virtual_now(), peer_of(ep), id, data, sizeof header + length);
  free(data);
  return UCT_OK;
}

static ptrdiff_t am_bcopy(struct uct_ep* ep, uint8_t id, uct_pack* pack, void* argument,
                          unsigned flags) {
  (void)flags;
  if (no_room(ep)) return NO_RESOURCE;
  unsigned char* data = malloc(MOST_BYTES);
  const size_t length = pack(data, argument);
  virtual_pass(virtual_network.overhead_ns);
  deliver(virtual_now(), peer_of(ep), id, data, length);
  free(data);
  return (ptrdiff_t)length;
}

static uct_status am_zcopy(struct uct_ep* ep, uint8_t id, const void* header, unsigned length,
                           const struct uct_iov* iov, size_t count, unsigned flags,
                           struct uct_completion* finished) {
  (void)flags;
  if (no_room(ep)) return NO_RESOURCE;
  size_t whole = length;
  for (size_t i = 0; i < count; ++i) whole += iov[i].length;
  unsigned char* data = malloc(whole);
  memcpy(data, header, length);
  unsigned char* at = data + length;
  for (size_t i = 0; i < count; at += iov[i++].length) memcpy(at, iov[i].buffer, iov[i].length);
  virtual_pass(virtual_network.overhead_ns);
  deliver(virtual_now(), peer_of(ep), id, data, whole);
  free(data);
  if (!finished) return UCT_OK;
  struct arrival* word = calloc(1, sizeof *word);
  word->moment = virtual_now() + virtual_network.leaving_ns;
  word->finished = finished;
  add(iface_of(ep)->rank, word);
  return UCT_INPROGRESS;
}

/// The data go one way, and the report about them the other; one after the other, because they
/// share the wire.
static uct_status remote(struct uct_ep* ep, const struct uct_iov* iov, size_t count,
                         uint64_t address, uintptr_t key, struct uct_completion* finished) {
  (void)address;
  (void)key;
  if (no_room(ep)) return NO_RESOURCE;
  struct iface* iface = iface_of(ep);
  size_t length = 0;
  for (size_t i = 0; i < count; ++i) length += iov[i].length * iov[i].count;
  virtual_pass(virtual_network.overhead_ns);
  struct arrival* word = calloc(1, sizeof *word);
  const uint64_t begun = iface->last > virtual_now() ? iface->last : virtual_now();
  word->moment = begun + wire_ns(length) + virtual_network.latency_ns;
  word->finished = finished;
  iface->last = word->moment;
  add(iface->rank, word);
  return UCT_INPROGRESS;
}

static uct_status flush(struct uct_ep* ep, unsigned flags, struct uct_completion* finished) {
  (void)flags;
  struct iface* iface = iface_of(ep);
  if (iface->last <= virtual_now()) return UCT_OK;
  if (!finished) return UCT_INPROGRESS;
  struct arrival* word = calloc(1, sizeof *word);
  word->moment = iface->last;
  word->finished = finished;
  add(iface->rank, word);
  return UCT_INPROGRESS;
}

static uct_status iface_flush(struct uct_iface* iface, unsigned flags,
                              struct uct_completion* finished) {
  (void)flags;
  (void)finished;
  return ((struct iface*)iface)->last <= virtual_now() ? UCT_OK : UCT_INPROGRESS;
}

static uct_status query(struct uct_iface* iface, struct uct_attributes* attributes) {
  (void)iface;
  attributes->am.max_short = attributes->am.max_bcopy = attributes->am.max_zcopy = MOST_BYTES;
  attributes->am.max_hdr = 256;
  attributes->flags = UCT_CAN_AM_SHORT | UCT_CAN_AM_BCOPY | UCT_CAN_AM_ZCOPY;
  attributes->device_address_length = attributes->address_length = sizeof(int);
  return UCT_OK;
}

uct_status uct_iface_open(void* domain, void* worker, const struct uct_iface_params* params,
                          const void* config, struct uct_iface** opened) {
  (void)domain;
  (void)params;
  (void)config;
  struct iface* iface = worker;
  iface->base.ops = (struct uct_iface_ops){
      .am_short = am_short,
      .am_bcopy = am_bcopy,
      .am_zcopy = am_zcopy,
      .put_zcopy = remote,
      .get_zcopy = remote,
      .ep_flush = flush,
      .iface_flush = iface_flush,
      .query = query,
  };
  iface->rank = (int)(iface - ifaces);
  iface->descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
  *opened = &iface->base;
  return UCT_OK;
}

void uct_iface_close(struct uct_iface* iface) { (void)iface; }
void uct_worker_destroy(void* worker) { (void)worker; }

uct_status uct_iface_set_am_handler(struct uct_iface* iface, uint8_t id, uct_handler* handler,
                                    void* argument, uint32_t flags) {
  (void)flags;
  struct iface* ours = (struct iface*)iface;
  ours->handlers[id].function = handler;
  ours->handlers[id].argument = argument;
  return UCT_OK;
}

void uct_worker_progress_register_safe(void* worker, uct_callback* function, void* argument,
                                       unsigned flags, int* id) {
  (void)flags;
  struct iface* iface = worker;
  for (int i = 0; i < MOST_CALLBACKS; ++i) {
    if (iface->callbacks[i].function) continue;
    iface->callbacks[i].function = function;
    iface->callbacks[i].argument = argument;
    *id = i;
    return;
  }
}

void uct_worker_progress_unregister_safe(void* worker, int* id) {
  ((struct iface*)worker)->callbacks[*id].function = NULL;
}

uct_status uct_iface_event_fd_get(struct uct_iface* iface, int* descriptor) {
  *descriptor = ((struct iface*)iface)->descriptor;
  return UCT_OK;
}

static uct_status address_of(struct uct_iface* iface, void* address) {
  memcpy(address, &((struct iface*)iface)->rank, sizeof(int));
  return UCT_OK;
}

uct_status uct_iface_get_address(struct uct_iface* iface, void* address) {
  return address_of(iface, address);
}

uct_status uct_iface_get_device_address(struct uct_iface* iface, void* address) {
  return address_of(iface, address);
}

uct_status uct_ep_create(const struct uct_ep_params* params, struct uct_ep** ep) {
  struct endpoint* ours = calloc(1, sizeof *ours);
  ours->base.iface = params->iface;
  memcpy(&ours->to, params->address, sizeof ours->to);
  *ep = &ours->base;
  return UCT_OK;
}

void* virtual_uct_worker(int rank) { return &ifaces[rank]; }

static void look(struct iface* iface) {
  while (iface->coming && iface->coming->moment <= virtual_now()) {
    struct arrival* first = iface->coming;
    iface->coming = first->next;
    virtual_ready(iface->descriptor, iface->coming ? iface->coming->moment : UINT64_MAX);
    if (first->finished) {
      if (--first->finished->count == 0) first->finished->function(first->finished);
    } else {
      iface->handlers[first->id].function(iface->handlers[first->id].argument, first->data,
                                          first->length, 0);
    }
    free(first);
  }
}

void virtual_uct_progress(int rank) {
  struct iface* iface = &ifaces[rank];
  if (virtual_network.look_first) look(iface);
  for (int i = 0; i < MOST_CALLBACKS; ++i) {
    if (iface->callbacks[i].function) iface->callbacks[i].function(iface->callbacks[i].argument);
  }
  if (!virtual_network.look_first) look(iface);
  virtual_pass(virtual_network.look_ns);
}
