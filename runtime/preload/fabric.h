#ifndef LATITUDE_INJECT_OFI_FABRIC_H
#define LATITUDE_INJECT_OFI_FABRIC_H

/// The part of libfabric's interface that the injector uses, so that no header of libfabric is
/// needed. The interface is the same in all releases from 1.9 to 2.6; tests/ofi_layout.c compares
/// it with an installed one. Tables of functions begin with their size, and may be longer or
/// shorter than here.

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

enum { OFI_AGAIN = 11, OFI_NO_MESSAGE = 42, OFI_ERROR_AVAILABLE = 259 };  // returned negated

enum { OFI_CQ_CONTEXT = 1, OFI_CQ_MSG, OFI_CQ_DATA, OFI_CQ_TAGGED };

#define OFI_RMA (1ull << 2)
#define OFI_ATOMIC (1ull << 4)
#define OFI_RECV (1ull << 10)
#define OFI_SEND (1ull << 11)
#define OFI_MULTI_RECV (1ull << 16)
#define OFI_REMOTE_CQ_DATA (1ull << 17)
#define OFI_PEEK (1ull << 19)
#define OFI_SOURCE (1ull << 57)
#define OFI_DISCARD (1ull << 58)
#define OFI_CLAIM (1ull << 59)
#define OFI_ADDRESS_UNKNOWN ((uint64_t)-1)

struct ofi_fid_ops;
struct ofi_fid {
  size_t class;
  void* context;
  struct ofi_fid_ops* ops;
};

struct ofi_fid_ops {
  size_t size;
  int (*close)(struct ofi_fid*);
  void* bind;
  int (*control)(struct ofi_fid*, int command, void* argument);
  void* others[3];
};

struct ofi_tx_attr {  // the beginning
  uint64_t caps, mode, op_flags;
};

struct ofi_rx_attr {  // the beginning
  uint64_t caps;
};

struct ofi_domain_attr {  // the beginning
  void* domain;
  char* name;
  int threading, control_progress, data_progress, resource_mgmt, av_type, mr_mode;
  size_t mr_key_size, cq_data_size;
};

struct ofi_fabric_attr {  // the beginning
  void* fabric;
  char* name;
  char* provider;
};

struct ofi_info {  // the beginning
  struct ofi_info* next;
  uint64_t caps, mode;
  uint32_t address_format;
  size_t address_lengths[2];
  void* addresses[2];
  void* handle;
  struct ofi_tx_attr* tx_attr;
  struct ofi_rx_attr* rx_attr;
  void* ep_attr;
  struct ofi_domain_attr* domain_attr;
  struct ofi_fabric_attr* fabric_attr;
};

struct ofi_cq_attr {  // the beginning
  size_t size;
  uint64_t flags;
  int format;
};

struct ofi_fabric_ops;
struct ofi_fabric {
  struct ofi_fid fid;
  struct ofi_fabric_ops* ops;
};

struct ofi_domain_ops;
struct ofi_domain {
  struct ofi_fid fid;
  struct ofi_domain_ops* ops;
};

struct ofi_wait_ops;
struct ofi_wait {
  struct ofi_fid fid;
  struct ofi_wait_ops* ops;
};

struct ofi_ep_ops;
struct ofi_msg_ops;
struct ofi_tagged_ops;
struct ofi_ep {  // the beginning
  struct ofi_fid fid;
  struct ofi_ep_ops* ops;
  void* cm;
  struct ofi_msg_ops* msg;
  void* rma;
  struct ofi_tagged_ops* tagged;
};

struct ofi_cq_ops;
struct ofi_cq {
  struct ofi_fid fid;
  struct ofi_cq_ops* ops;
};

struct ofi_fabric_ops {
  size_t size;
  int (*domain)(struct ofi_fabric*, struct ofi_info*, struct ofi_domain**, void* context);
  void* passive_ep;
  void* eq_open;
  int (*wait_open)(struct ofi_fabric*, void* attributes, struct ofi_wait**);
  int (*trywait)(struct ofi_fabric*, struct ofi_fid** fids, int count);
  int (*domain2)(struct ofi_fabric*, struct ofi_info*, struct ofi_domain**, uint64_t flags,
                 void* context);
};

struct ofi_domain_ops {
  size_t size;
  void* av_open;
  int (*cq_open)(struct ofi_domain*, struct ofi_cq_attr*, struct ofi_cq**, void* context);
  int (*endpoint)(struct ofi_domain*, struct ofi_info*, struct ofi_ep**, void* context);
  int (*scalable_ep)(struct ofi_domain*, struct ofi_info*, struct ofi_ep**, void* context);
  void* cntr_open;
  void* poll_open;
  void* stx_ctx;
  int (*srx_ctx)(struct ofi_domain*, struct ofi_rx_attr*, struct ofi_ep**, void* context);
  void* query_atomic;
  void* query_collective;
  int (*endpoint2)(struct ofi_domain*, struct ofi_info*, struct ofi_ep**, uint64_t flags,
                   void* context);
};

struct ofi_wait_ops {
  size_t size;
  int (*wait)(struct ofi_wait*, int timeout_ms);
};

struct ofi_ep_ops {
  size_t size;
  void* cancel;
  void* getopt;
  void* setopt;
  int (*tx_ctx)(struct ofi_ep*, int index, struct ofi_tx_attr*, struct ofi_ep**, void* context);
  int (*rx_ctx)(struct ofi_ep*, int index, struct ofi_rx_attr*, struct ofi_ep**, void* context);
  void* sizes_left[2];
  void* export_xpu;
};

struct ofi_msg {
  const struct iovec* iov;
  void** desc;
  size_t count;
  uint64_t address;
  void* context;
  uint64_t data;
};

struct ofi_msg_ops {
  size_t size;
  ssize_t (*recv)(struct ofi_ep*, void* buffer, size_t length, void* desc, uint64_t from,
                  void* context);
  ssize_t (*recvv)(struct ofi_ep*, const struct iovec*, void** desc, size_t count, uint64_t from,
                   void* context);
  ssize_t (*recvmsg)(struct ofi_ep*, const struct ofi_msg*, uint64_t flags);
  ssize_t (*send)(struct ofi_ep*, const void* buffer, size_t length, void* desc, uint64_t to,
                  void* context);
  ssize_t (*sendv)(struct ofi_ep*, const struct iovec*, void** desc, size_t count, uint64_t to,
                   void* context);
  ssize_t (*sendmsg)(struct ofi_ep*, const struct ofi_msg*, uint64_t flags);
  ssize_t (*inject)(struct ofi_ep*, const void* buffer, size_t length, uint64_t to);
  ssize_t (*senddata)(struct ofi_ep*, const void* buffer, size_t length, void* desc, uint64_t data,
                      uint64_t to, void* context);
  ssize_t (*injectdata)(struct ofi_ep*, const void* buffer, size_t length, uint64_t data,
                        uint64_t to);
};

struct ofi_msg_tagged {
  const struct iovec* iov;
  void** desc;
  size_t count;
  uint64_t address;
  uint64_t tag, ignore;
  void* context;
  uint64_t data;
};

struct ofi_tagged_ops {
  size_t size;
  ssize_t (*recv)(struct ofi_ep*, void* buffer, size_t length, void* desc, uint64_t from,
                  uint64_t tag, uint64_t ignore, void* context);
  ssize_t (*recvv)(struct ofi_ep*, const struct iovec*, void** desc, size_t count, uint64_t from,
                   uint64_t tag, uint64_t ignore, void* context);
  ssize_t (*recvmsg)(struct ofi_ep*, const struct ofi_msg_tagged*, uint64_t flags);
  ssize_t (*send)(struct ofi_ep*, const void* buffer, size_t length, void* desc, uint64_t to,
                  uint64_t tag, void* context);
  ssize_t (*sendv)(struct ofi_ep*, const struct iovec*, void** desc, size_t count, uint64_t to,
                   uint64_t tag, void* context);
  ssize_t (*sendmsg)(struct ofi_ep*, const struct ofi_msg_tagged*, uint64_t flags);
  ssize_t (*inject)(struct ofi_ep*, const void* buffer, size_t length, uint64_t to, uint64_t tag);
  ssize_t (*senddata)(struct ofi_ep*, const void* buffer, size_t length, void* desc, uint64_t data,
                      uint64_t to, uint64_t tag, void* context);
  ssize_t (*injectdata)(struct ofi_ep*, const void* buffer, size_t length, uint64_t data,
                        uint64_t to, uint64_t tag);
};

/// A completion; simpler formats consist of its first members.
struct ofi_entry {
  void* context;
  uint64_t flags;
  size_t length;
  void* buffer;
  uint64_t data;
  uint64_t tag;
};

struct ofi_error {  // the beginning
  void* context;
  uint64_t flags;
  size_t length;
  void* buffer;
  uint64_t data;
  uint64_t tag;
  size_t overflow;
  int error, provider_error;
  void* details;
  size_t details_size;
};

struct ofi_cq_ops {
  size_t size;
  ssize_t (*read)(struct ofi_cq*, void* entries, size_t count);
  ssize_t (*readfrom)(struct ofi_cq*, void* entries, size_t count, uint64_t* sources);
  ssize_t (*readerr)(struct ofi_cq*, struct ofi_error*, uint64_t flags);
  ssize_t (*sread)(struct ofi_cq*, void* entries, size_t count, const void* condition,
                   int timeout_ms);
  ssize_t (*sreadfrom)(struct ofi_cq*, void* entries, size_t count, uint64_t* sources,
                       const void* condition, int timeout_ms);
  void* signal;
  void* strerror;
};

#endif
