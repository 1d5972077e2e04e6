#ifndef LATITUDE_INJECT_UCT_H
#define LATITUDE_INJECT_UCT_H

/// The part of UCX's transport interface (UCT) that the injector uses, so that no header of UCX is
/// needed. The interface is the same in all releases from 1.11 to 1.22; tests/uct_layout.c compares
/// it with an installed one.

#include <stddef.h>
#include <stdint.h>

enum {
  UCT_OK = 0,
  UCT_INPROGRESS = 1,
  UCT_ERR_BUSY = -15,
  UCT_OPEN_MODE_DEVICE = 1,     // in open_mode
  UCT_EP_OF_IFACE = 1,          // in an endpoint's field_mask: its interface is given
  UCT_EP_TO_IFACE = 1 | 4 | 8,  // and both addresses of the interface to which it leads
  UCT_CALLBACK_ASYNC = 4,       // a handler that any thread may call
  UCT_PROGRESS_FAST = 1,
  UCT_FLUSH_CANCEL = 1,
  UCT_MOST_IDS = 32,
  UCT_WIREUP_ID = 1  // UCP's connection establishment
};

enum { UCT_CAN_AM_SHORT = 1, UCT_CAN_AM_BCOPY = 2, UCT_CAN_AM_ZCOPY = 4 };

typedef int8_t uct_status;
typedef uct_status uct_handler(void* argument, void* data, size_t length, unsigned flags);
typedef size_t uct_pack(void* destination, void* argument);
typedef unsigned uct_callback(void* argument);

struct uct_iov {
  void* buffer;
  size_t length;
  void* memory;
  size_t stride;
  unsigned count;
};

/// Counts unfinished operations; `function` is called when none is left.
struct uct_completion {
  void (*function)(struct uct_completion* self);
  int count;
  uct_status status;
};

struct uct_iface;

struct uct_ep {
  struct uct_iface* iface;
};

struct uct_attributes {  // the beginning
  size_t put[7];
  size_t get[7];
  struct {
    size_t max_short, max_bcopy, min_zcopy, max_zcopy, opt_zcopy_align, align_mtu, max_hdr, max_iov;
  } am;
  size_t tag[11];
  uint64_t atomics[4];
  uint64_t flags, event_flags;
  size_t device_address_length, address_length, ep_address_length;
};

/// Puts into, or gets from, the memory of another process.
typedef uct_status uct_remote(struct uct_ep*, const struct uct_iov*, size_t count, uint64_t address,
                              uintptr_t key, struct uct_completion*);

struct uct_iface_ops {
  void* put[2];
  uct_remote* put_zcopy;
  void* get[2];
  uct_remote* get_zcopy;
  uct_status (*am_short)(struct uct_ep*, uint8_t id, uint64_t header, const void* payload,
                         unsigned length);
  uct_status (*am_short_iov)(struct uct_ep*, uint8_t id, const struct uct_iov*, size_t count);
  ptrdiff_t (*am_bcopy)(struct uct_ep*, uint8_t id, uct_pack*, void* argument, unsigned flags);
  uct_status (*am_zcopy)(struct uct_ep*, uint8_t id, const void* header, unsigned header_length,
                         const struct uct_iov*, size_t count, unsigned flags,
                         struct uct_completion*);
  void* atomics[6];
  void* tagged[8];
  void* pending[2];
  uct_status (*ep_flush)(struct uct_ep*, unsigned flags, struct uct_completion*);
  void* fence_check[2];
  void* connection[9];
  uct_status (*iface_flush)(struct uct_iface*, unsigned flags, struct uct_completion*);
  void* iface_fence;
  void* progress[3];
  void* event_fd_get;
  uct_status (*event_arm)(struct uct_iface*, unsigned events);
  void* close;
  uct_status (*query)(struct uct_iface*, struct uct_attributes*);
};

struct uct_iface {
  struct uct_iface_ops ops;
};

struct uct_iface_params {  // the beginning
  uint64_t field_mask;
  uint64_t cpu_mask[16];
  uint64_t open_mode;
  const char* transport;
  const char* device;
};

struct uct_ep_params {  // the beginning
  uint64_t field_mask;
  struct uct_iface* iface;
  void* user_data;
  const void *device_address, *address;  // addresses of the interface to which it leads
};

#endif
