// A libuct that opens any transport, to test UCX's choices for devices that this machine lacks: the
// shared library that opening.c links with, in place of the real one.
#include "../../preload/uct.h"

uct_status uct_iface_open(void* domain, void* worker, const struct uct_iface_params* params,
                          const void* config, struct uct_iface** iface) {
  (void)domain;
  (void)worker;
  (void)config;
  *iface = NULL;
  return params->transport ? UCT_OK : -1;
}
