// Opens UCX's transports, and connects by some of them.
//
//     connecting [+]TRANSPORT…       + is a transport with a connection
#include "../../preload/uct.h"

int MPI_Finalize(void);
uct_status uct_iface_open(void* domain, void* worker, const struct uct_iface_params* params,
                          const void* config, struct uct_iface** iface);
uct_status uct_ep_create(const struct uct_ep_params* params, struct uct_ep** ep);

int main(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    const int connected = words[i][0] == '+';
    struct uct_iface* iface;
    struct uct_ep* ep;
    const struct uct_iface_params params = {.open_mode = UCT_OPEN_MODE_DEVICE,
                                            .transport = words[i] + connected};
    if (uct_iface_open(0, 0, &params, 0, &iface) != UCT_OK) return 1;
    const struct uct_ep_params of_ep = {.field_mask = UCT_EP_OF_IFACE, .iface = iface};
    if (connected && uct_ep_create(&of_ep, &ep) != UCT_OK) return 1;
  }
  return MPI_Finalize();
}
