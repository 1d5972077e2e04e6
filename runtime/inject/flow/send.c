// Sending: a stamp precedes each active message, and the limits that UCP sees shrink by its size.
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../clock/clock.h"
#include "../delay.h"
#include "../random.h"
#include "flow.h"

enum { STAMP = sizeof(struct lat_stamp), HEADER = sizeof(uint64_t), LONGEST_NAME = 128 };

static const uint64_t LARGEST_NS = ((uint64_t)1 << 53) - 1;

static uint32_t process, node;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint64_t hash(const char* text) {
  uint64_t mixed = 1;
  for (; *text; ++text) mixed = lat_mix(mixed ^ (unsigned char)*text);
  return mixed;
}

static void identify(void) {
  char clock[LONGEST_NAME];
  lat_clock_name(clock, sizeof clock);
  const uint64_t ours = hash(clock);
  node = (uint32_t)ours;
  process = (uint32_t)lat_mix(ours ^ lat_now_ns() ^ ((uint64_t)getpid() << 32)) | 1;
}

uint32_t lat_node(void) {
  pthread_once(&once, identify);
  return node;
}

struct lat_stamp lat_stamp_next(uint8_t id) {
  pthread_once(&once, identify);
  struct lat_stamp stamp = {.mark = LAT_MARK, .process = process, .node = node};
  if (id == UCT_WIREUP_ID || !lat_delay_on()) return stamp;
  stamp.delay_ns = lat_delay_next() & LARGEST_NS;
  stamp.sent = lat_now_ns();
  return stamp;
}

/// Takes back the draw of a send without room: it is tried again later, with the same delay, so
/// that runs repeat.
static void unless_sent(const struct lat_stamp* stamp, ptrdiff_t status) {
  if (status < 0 && stamp->sent) lat_delay_undo();
}

static uct_status am_short(struct uct_ep* ep, uint8_t id, uint64_t header, const void* payload,
                           unsigned length) {
  const struct lat_iface* iface = lat_iface_of(ep->iface);
  const struct lat_stamp stamp = lat_stamp_next(id);
  uint64_t first;  // this transport's own header is the beginning of the stamp
  memcpy(&first, &stamp, HEADER);
  unsigned char* rest = alloca(STAMP + (size_t)length);
  memcpy(rest, (const unsigned char*)&stamp + HEADER, STAMP - HEADER);
  memcpy(rest + STAMP - HEADER, &header, HEADER);
  if (length) memcpy(rest + STAMP, payload, length);
  const uct_status status = iface->original.am_short(ep, id, first, rest, STAMP + length);
  unless_sent(&stamp, status);
  return status;
}

static uct_status am_short_iov(struct uct_ep* ep, uint8_t id, const struct uct_iov* iov,
                               size_t count) {
  const struct lat_iface* iface = lat_iface_of(ep->iface);
  const struct lat_stamp stamp = lat_stamp_next(id);
  uint64_t first;
  memcpy(&first, &stamp, HEADER);
  size_t length = STAMP - HEADER;
  for (size_t i = 0; i < count; ++i) length += iov[i].length * iov[i].count;
  unsigned char* rest = alloca(length);
  memcpy(rest, (const unsigned char*)&stamp + HEADER, STAMP - HEADER);
  unsigned char* at = rest + STAMP - HEADER;
  for (size_t i = 0; i < count; ++i) {
    for (unsigned k = 0; k < iov[i].count && iov[i].length; ++k) {
      memcpy(at, (const unsigned char*)iov[i].buffer + k * iov[i].stride, iov[i].length);
      at += iov[i].length;
    }
  }
  const uct_status status = iface->original.am_short(ep, id, first, rest, (unsigned)length);
  unless_sent(&stamp, status);
  return status;
}

struct packing {
  struct lat_stamp stamp;
  uct_pack* pack;
  void* argument;
};

static size_t pack(void* destination, void* argument) {
  const struct packing* packing = argument;
  memcpy(destination, &packing->stamp, STAMP);
  return STAMP + packing->pack((unsigned char*)destination + STAMP, packing->argument);
}

static ptrdiff_t am_bcopy(struct uct_ep* ep, uint8_t id, uct_pack* own, void* argument,
                          unsigned flags) {
  const struct lat_iface* iface = lat_iface_of(ep->iface);
  struct packing packing = {lat_stamp_next(id), own, argument};
  const ptrdiff_t sent = iface->original.am_bcopy(ep, id, pack, &packing, flags);
  unless_sent(&packing.stamp, sent);
  return sent < STAMP ? sent : sent - STAMP;
}

/// A message that stays in the program's memory until it has left.
struct leaving {
  struct uct_completion own;        // the transport's callback
  struct uct_completion* finished;  // UCP's callback
  struct lat_worker* worker;
};

static void has_left(struct uct_completion* own) {
  struct leaving* leaving = (struct leaving*)own;
  lat_tell(leaving->worker, leaving->finished, own->status);
  free(leaving);
}

static uct_status am_zcopy(struct uct_ep* ep, uint8_t id, const void* header, unsigned length,
                           const struct uct_iov* iov, size_t count, unsigned flags,
                           struct uct_completion* finished) {
  const struct lat_iface* iface = lat_iface_of(ep->iface);
  const struct lat_stamp stamp = lat_stamp_next(id);
  unsigned char* longer = alloca(STAMP + (size_t)length);
  memcpy(longer, &stamp, STAMP);
  if (length) memcpy(longer + STAMP, header, length);
  struct leaving* leaving = finished ? malloc(sizeof *leaving) : NULL;
  if (leaving) {
    *leaving = (struct leaving){{.function = has_left, .count = 1}, finished, iface->worker};
    finished = &leaving->own;
  }
  const uct_status status =
      iface->original.am_zcopy(ep, id, longer, STAMP + length, iov, count, flags, finished);
  if (status != UCT_INPROGRESS) free(leaving);
  unless_sent(&stamp, status);
  return status;
}

static size_t less(size_t limit) { return limit > STAMP ? limit - STAMP : 0; }

static uct_status query(struct uct_iface* iface, struct uct_attributes* attributes) {
  struct lat_iface* ours = lat_iface_of(iface);
  const uct_status status = ours->original.query(iface, attributes);
  if (status != UCT_OK) return status;
  ours->device_address_length = attributes->device_address_length;
  ours->address_length = attributes->address_length;
  ours->ep_address_length = attributes->ep_address_length;
  attributes->am.max_short = less(attributes->am.max_short);
  attributes->am.max_bcopy = less(attributes->am.max_bcopy);
  attributes->am.max_zcopy = less(attributes->am.max_zcopy);
  attributes->am.max_hdr = less(attributes->am.max_hdr);
  if (attributes->am.max_short < HEADER) attributes->flags &= ~(uint64_t)UCT_CAN_AM_SHORT;
  if (attributes->am.max_hdr == 0) attributes->flags &= ~(uint64_t)UCT_CAN_AM_ZCOPY;
  return status;
}

void lat_send_hook(struct uct_iface_ops* ops) {
  ops->am_short = am_short;
  ops->am_short_iov = am_short_iov;
  ops->am_bcopy = am_bcopy;
  ops->am_zcopy = am_zcopy;
  ops->query = query;
}
