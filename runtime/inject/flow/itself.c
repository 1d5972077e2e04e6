// Endpoints that lead back to their own interface. UCP hands a rank's small messages to itself over
// in memory, and puts its large ones through a network if that is all that can put: not over a way
// that has a latency.
#include <stdlib.h>
#include <string.h>

#include "../export.h"
#include "../original.h"
#include "flow.h"

typedef uct_status create_function(const struct uct_ep_params* params, struct uct_ep** ep);
typedef uct_status address_function(struct uct_iface* iface, void* address);

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

static void forget(struct lat_loop** link) {
  struct lat_loop* loop = *link;
  if (!loop) return;
  *link = loop->next;
  free(loop);
}

void lat_itself_free(struct lat_iface* iface) {
  while (iface->loops) forget(&iface->loops);
}

/// Whether `address`, of `length` bytes, is what the interface calls its own.
static bool own(struct uct_iface* iface, address_function* get, const void* address,
                size_t length) {
  unsigned char* ours = malloc(length);
  if (!ours) abort();
  const bool same = get(iface, ours) == UCT_OK && memcmp(ours, address, length) == 0;
  free(ours);
  return same;
}

static bool leads_back(const struct lat_iface* iface, const struct uct_ep_params* params) {
  static address_function *address, *device;
  lat_find((void**)&address, "uct_iface_get_address", library);
  lat_find((void**)&device, "uct_iface_get_device_address", library);
  return iface->address_length &&
         own(iface->iface, address, params->address, iface->address_length) &&
         own(iface->iface, device, params->device_address, iface->device_address_length);
}

LAT_EXPORT uct_status uct_ep_create(const struct uct_ep_params* params, struct uct_ep** ep) {
  static create_function* original;
  lat_find((void**)&original, __func__, library);
  const uct_status status = original(params, ep);
  if (status != UCT_OK || (params->field_mask & UCT_EP_TO_IFACE) != UCT_EP_TO_IFACE) return status;
  struct lat_iface* iface = lat_iface_of(params->iface);
  if (!iface) return status;
  forget(loop_of(iface, *ep));  // of an endpoint at the same place, since destroyed
  if (leads_back(iface, params)) {
    struct lat_loop* loop = malloc(sizeof *loop);
    if (!loop) abort();
    *loop = (struct lat_loop){*ep, iface->loops};
    iface->loops = loop;
  }
  return status;
}
