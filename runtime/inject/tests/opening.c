// Opens transports of fake_uct.c, as UCX does.
//
//     opening TRANSPORT…
#include "../../preload/uct.h"

uct_status uct_iface_open(void* domain, void* worker, const struct uct_iface_params* params,
                          const void* config, struct uct_iface** iface);

int main(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    struct uct_iface* iface;
    const struct uct_iface_params params = {.open_mode = UCT_OPEN_MODE_DEVICE,
                                            .transport = words[i]};
    if (uct_iface_open(NULL, NULL, &params, NULL, &iface) != UCT_OK) return 1;
  }
  return 0;
}
