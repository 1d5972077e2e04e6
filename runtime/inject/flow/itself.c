// Endpoints that lead back to their own interface. UCP delivers a rank's small messages to itself
// in memory. UCP moves large messages to itself through a network if it has no other way; such
// messages do not cross a way with a latency.
#include <stdlib.h>
#include <string.h>

#include "../../preload/export.h"
#include "../../preload/original.h"
#include "flow.h"

typedef uct_status create_function(const struct uct_ep_params* params, struct uct_ep** ep);
typedef uct_status connect_function(struct uct_ep* ep, const void* device, const void* address);
typedef uct_status connect_v2_function(struct uct_ep* ep, const void* device, const void* address,
                                       const void* params);
typedef uct_status address_function(void* of, void* address);

struct lat_loop {
  const struct uct_ep* ep;
  struct lat_loop* next;
};

static const char library[] = "libuct";

static struct lat_loop** loop_of(struct lat_iface* iface, const struct uct_ep* ep) {
  struct lat_loop** link = &iface->loops;
  while (*link && (*link)->ep != ep) link = &(*link)->next;
  return link;
}

bool lat_to_itself(struct lat_iface* iface, const struct uct_ep* ep) {
  return *loop_of(iface, ep) != NULL;
}

static void remember(struct lat_iface* iface, const struct uct_ep* ep) {
  struct lat_loop* loop = malloc(sizeof *loop);
  if (!loop) abort();
  *loop = (struct lat_loop){ep, iface->loops};
  iface->loops = loop;
}

static void forget(struct lat_loop** link) {
  struct lat_loop* loop = *link;
  if (!loop) return;
  *link = loop->next;
  free(loop);
}

void lat_itself_free(struct lat_iface* iface) {
  while (iface->loops) forget(&iface->loops);
}

/// Whether `address`, of `length` bytes, is the address that `get` returns for the own end `end`.
static bool own(address_function* get, void* end, const void* address, size_t length) {
  if (!length) return false;
  unsigned char* ours = malloc(length);
  if (!ours) abort();
  const bool same = get(end, ours) == UCT_OK && memcmp(ours, address, length) == 0;
  free(ours);
  return same;
}

static bool own_device(const struct lat_iface* iface, const void* address) {
  static address_function* get;
  lat_find((void**)&get, "uct_iface_get_device_address", library);
  return own(get, iface->iface, address, iface->device_address_length);
}

/// Notes such an endpoint for transports that know their peers by interface.
LAT_EXPORT uct_status uct_ep_create(const struct uct_ep_params* params, struct uct_ep** ep) {
  static create_function* original;
  static address_function* get;
  lat_find((void**)&original, __func__, library);
  const uct_status status = original(params, ep);
  if (status != UCT_OK || !(params->field_mask & UCT_EP_OF_IFACE)) return status;
  struct lat_iface* iface = lat_iface_of(params->iface);
  if (!iface) return status;
  forget(loop_of(iface, *ep));  // forgets a destroyed endpoint at the same address
  if ((params->field_mask & UCT_EP_TO_IFACE) != UCT_EP_TO_IFACE) return status;
  lat_find((void**)&get, "uct_iface_get_address", library);
  if (own(get, iface->iface, params->address, iface->address_length) &&
      own_device(iface, params->device_address)) {
    remember(iface, *ep);
  }
  return status;
}

/// Notes an endpoint connected to itself, for transports that connect endpoint to endpoint.
static void connected(struct uct_ep* ep, const void* device, const void* address) {
  static address_function* get;
  struct lat_iface* iface = lat_iface_of(ep->iface);
  if (!iface || lat_to_itself(iface, ep)) return;
  lat_find((void**)&get, "uct_ep_get_address", library);
  if (own(get, ep, address, iface->ep_address_length) && own_device(iface, device)) {
    remember(iface, ep);
  }
}

LAT_EXPORT uct_status uct_ep_connect_to_ep(struct uct_ep* ep, const void* device,
                                           const void* address) {
  static connect_function* original;
  lat_find((void**)&original, __func__, library);
  const uct_status status = original(ep, device, address);
  if (status == UCT_OK) connected(ep, device, address);
  return status;
}

LAT_EXPORT uct_status uct_ep_connect_to_ep_v2(struct uct_ep* ep, const void* device,
                                              const void* address, const void* params) {
  static connect_v2_function* original;
  lat_find((void**)&original, __func__, library);
  const uct_status status = original(ep, device, address, params);
  if (status == UCT_OK) connected(ep, device, address);
  return status;
}
