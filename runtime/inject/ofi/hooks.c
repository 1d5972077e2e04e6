// From fi_fabric, which MPI calls by name, to the objects opened below it: domains, endpoints,
// queues.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../preload/export.h"
#include "../../preload/original.h"
#include "../delay.h"
#include "../report.h"
#include "../settings.h"
#include "ofi.h"

typedef int fabric_function(struct ofi_fabric_attr* attributes, struct ofi_fabric** fabric,
                            void* context);
typedef int fabric2_function(struct ofi_info* info, struct ofi_fabric** fabric, uint64_t flags,
                             void* context);

typedef void* versioned_function(void*, const char*, const char*);

static const char library[] = "libfabric";

struct fabric {
  struct lat_object object;
  struct ofi_fabric_ops ops, *original;
};

struct domain {
  struct lat_object object;
  struct ofi_domain_ops ops, *original;
  bool stamped;
};

struct wait_set {
  struct lat_object object;
  struct ofi_wait_ops ops, *original;
};

static void* needed(size_t size) {
  void* memory = calloc(1, size);
  if (memory) return memory;
  fprintf(stderr, "latitude: no room to delay messages\n");
  abort();  // the other ranks rely on the stamp
}

static void end(struct lat_object* object) { free(object); }

// Endpoints.

static void ep_hook(struct ofi_ep* ep, uint64_t op_flags);

static int tx_ctx(struct ofi_ep* sep, int index, struct ofi_tx_attr* attributes, struct ofi_ep** ep,
                  void* context) {
  struct lat_ep* ours = LAT_AROUND(sep->ops, struct lat_ep, ops);
  const int status = ours->original->tx_ctx(sep, index, attributes, ep, context);
  if (status == 0) ep_hook(*ep, attributes ? attributes->op_flags : ours->op_flags);
  return status;
}

static int rx_ctx(struct ofi_ep* sep, int index, struct ofi_rx_attr* attributes, struct ofi_ep** ep,
                  void* context) {
  struct lat_ep* ours = LAT_AROUND(sep->ops, struct lat_ep, ops);
  const int status = ours->original->rx_ctx(sep, index, attributes, ep, context);
  if (status == 0) ep_hook(*ep, 0);
  return status;
}

/// Providers choose other functions when an endpoint is enabled, or when its options are set.
static int ep_control(struct ofi_fid* fid, int command, void* argument) {
  struct lat_ep* ours = LAT_AROUND(fid->ops, struct lat_ep, object.ops);
  const int status = ours->object.original->control(fid, command, argument);
  lat_ep_hook(ours);
  return status;
}

static void ep_hook(struct ofi_ep* ep, uint64_t op_flags) {
  struct lat_ep* ours = needed(sizeof *ours);
  ours->ep = ep;
  ours->op_flags = op_flags;
  lat_object_begin(&ours->object, &ep->fid, end);
  ours->object.ops.control = ep_control;
  ours->original = ep->ops;
  lat_table_copy(&ours->ops, sizeof ours->ops, ep->ops);
  ours->ops.tx_ctx = tx_ctx;
  ours->ops.rx_ctx = rx_ctx;
  ep->ops = &ours->ops;
  lat_ep_hook(ours);
}

// Domains. The injector requests the source of messages in addition to MPI's requests: it changes
// the caller's description during the call.

static bool ask_source(struct ofi_info* info) {
  if (info->caps & OFI_SOURCE) return false;
  info->caps |= OFI_SOURCE;
  if (info->rx_attr) info->rx_attr->caps |= OFI_SOURCE;
  return true;
}

static void unask_source(struct ofi_info* info) {
  info->caps &= ~OFI_SOURCE;
  if (info->rx_attr) info->rx_attr->caps &= ~OFI_SOURCE;
}

static struct domain* domain_of(struct ofi_domain* domain) {
  return LAT_AROUND(domain->ops, struct domain, ops);
}

typedef int open_function(struct ofi_domain*, struct ofi_info*, struct ofi_ep**, void* context);

static int open_ep(struct ofi_domain* domain, open_function* open, struct ofi_info* info,
                   struct ofi_ep** ep, void* context) {
  const bool asked = ask_source(info);
  int status = open(domain, info, ep, context);
  if (asked) {
    unask_source(info);
    if (status != 0) status = open(domain, info, ep, context);
  }
  if (status == 0 && domain_of(domain)->stamped) {
    ep_hook(*ep, info->tx_attr ? info->tx_attr->op_flags : 0);
  }
  return status;
}

static int endpoint(struct ofi_domain* domain, struct ofi_info* info, struct ofi_ep** ep,
                    void* context) {
  return open_ep(domain, domain_of(domain)->original->endpoint, info, ep, context);
}

static int scalable_ep(struct ofi_domain* domain, struct ofi_info* info, struct ofi_ep** ep,
                       void* context) {
  return open_ep(domain, domain_of(domain)->original->scalable_ep, info, ep, context);
}

static int endpoint2(struct ofi_domain* domain, struct ofi_info* info, struct ofi_ep** ep,
                     uint64_t flags, void* context) {
  const int status = domain_of(domain)->original->endpoint2(domain, info, ep, flags, context);
  if (status == 0 && domain_of(domain)->stamped) {
    ep_hook(*ep, info->tx_attr ? info->tx_attr->op_flags : 0);
  }
  return status;
}

static int srx_ctx(struct ofi_domain* domain, struct ofi_rx_attr* attributes, struct ofi_ep** ep,
                   void* context) {
  const int status = domain_of(domain)->original->srx_ctx(domain, attributes, ep, context);
  if (status == 0 && domain_of(domain)->stamped) ep_hook(*ep, 0);
  return status;
}

/// Completions are read in the longest format, and passed on in the requested one.
static int cq_open(struct ofi_domain* domain, struct ofi_cq_attr* attributes, struct ofi_cq** cq,
                   void* context) {
  struct domain* ours = domain_of(domain);
  const int format = attributes->format;
  attributes->format = OFI_CQ_TAGGED;
  const int status = ours->original->cq_open(domain, attributes, cq, context);
  attributes->format = format;
  if (status == 0) lat_cq_hook(*cq, format, ours->stamped);
  return status;
}

static void domain_hook(struct ofi_domain* domain, const struct ofi_info* info) {
  struct domain* ours = needed(sizeof *ours);
  ours->stamped = info->domain_attr && info->domain_attr->cq_data_size >= sizeof(uint64_t);
  lat_object_begin(&ours->object, &domain->fid, end);
  ours->original = domain->ops;
  lat_table_copy(&ours->ops, sizeof ours->ops, domain->ops);
  ours->ops.cq_open = cq_open;
  ours->ops.endpoint = endpoint;
  ours->ops.scalable_ep = scalable_ep;
  ours->ops.srx_ctx = srx_ctx;
  ours->ops.endpoint2 = endpoint2;
  domain->ops = &ours->ops;
}

// Fabrics.

static struct fabric* fabric_of(struct ofi_fabric* fabric) {
  return LAT_AROUND(fabric->ops, struct fabric, ops);
}

static int domain(struct ofi_fabric* fabric, struct ofi_info* info, struct ofi_domain** domain,
                  void* context) {
  const struct ofi_fabric_ops* original = fabric_of(fabric)->original;
  const bool asked = ask_source(info);
  int status = original->domain(fabric, info, domain, context);
  if (asked) {
    unask_source(info);
    if (status != 0) status = original->domain(fabric, info, domain, context);
  }
  if (status == 0) domain_hook(*domain, info);
  return status;
}

static int domain2(struct ofi_fabric* fabric, struct ofi_info* info, struct ofi_domain** domain,
                   uint64_t flags, void* context) {
  const int status = fabric_of(fabric)->original->domain2(fabric, info, domain, flags, context);
  if (status == 0) domain_hook(*domain, info);
  return status;
}

static int trywait(struct ofi_fabric* fabric, struct ofi_fid** fids, int count) {
  for (int i = 0; i < count; ++i) {
    if (lat_cq_holds(fids[i])) return -OFI_AGAIN;
  }
  return fabric_of(fabric)->original->trywait(fabric, fids, count);
}

/// A wait may end early.
static int wait_some(struct ofi_wait* set, int timeout_ms) {
  const struct wait_set* ours = LAT_AROUND(set->ops, struct wait_set, ops);
  if (lat_any_cq_holds()) return 0;
  return ours->original->wait(set, timeout_ms);
}

static int wait_open(struct ofi_fabric* fabric, void* attributes, struct ofi_wait** set) {
  const int status = fabric_of(fabric)->original->wait_open(fabric, attributes, set);
  if (status != 0) return status;
  struct wait_set* ours = needed(sizeof *ours);
  lat_object_begin(&ours->object, &(*set)->fid, end);
  ours->original = (*set)->ops;
  lat_table_copy(&ours->ops, sizeof ours->ops, (*set)->ops);
  ours->ops.wait = wait_some;
  (*set)->ops = &ours->ops;
  return status;
}

static void fabric_hook(struct ofi_fabric* fabric) {
  struct fabric* ours = needed(sizeof *ours);
  lat_object_begin(&ours->object, &fabric->fid, end);
  ours->original = fabric->ops;
  lat_table_copy(&ours->ops, sizeof ours->ops, fabric->ops);
  ours->ops.domain = domain;
  ours->ops.wait_open = wait_open;
  ours->ops.trywait = trywait;
  ours->ops.domain2 = domain2;
  fabric->ops = &ours->ops;
}

/// Whether libfabric calls itself, as its layered providers do: delays are added above them.
static bool called_by(const void* caller, const void* itself) {
  Dl_info of_caller, of_itself;
  return dladdr(caller, &of_caller) && dladdr(itself, &of_itself) &&
         of_caller.dli_fbase == of_itself.dli_fbase;
}

static void opened(struct ofi_fabric* fabric, const char* provider) {
  char name[64];
  snprintf(name, sizeof name, "ofi:%s", provider);
  lat_delay_setup();
  const bool local = strncmp(provider, "shm", 3) == 0 || strncmp(provider, "sm2", 3) == 0;
  const bool ours = lat_layer_asked() == LAT_FLOW && (lat_intra_node() || !local);
  lat_report_transport(name, ours);
  if (ours) fabric_hook(fabric);
}

LAT_EXPORT int fi_fabric(struct ofi_fabric_attr* attributes, struct ofi_fabric** fabric,
                         void* context) {
  static fabric_function* original;
  lat_find((void**)&original, __func__, library);
  const int status = original(attributes, fabric, context);
  if (status != 0 || lat_layer_asked() == LAT_NOTHING) return status;
  if (!called_by(__builtin_return_address(0), (const void*)(uintptr_t)original)) {
    opened(*fabric, attributes->provider);
  }
  return status;
}

/// Intel MPI loads libfabric itself, and gets its functions from that library, not from the
/// program.
LAT_EXPORT void* dlvsym(void* restrict library_handle, const char* restrict name,
                        const char* restrict version) {
  static versioned_function* original;
  lat_find((void**)&original, __func__, "libc.so");
  const bool ours = lat_layer_asked() != LAT_NOTHING && strcmp(name, "fi_fabric") == 0;
  void* const found = original(library_handle, name, version);
  return found && ours ? (void*)(uintptr_t)fi_fabric : found;
}

LAT_EXPORT int fi_fabric2(struct ofi_info* info, struct ofi_fabric** fabric, uint64_t flags,
                          void* context) {
  static fabric2_function* original;
  lat_find((void**)&original, __func__, library);
  const int status = original(info, fabric, flags, context);
  if (status != 0 || lat_layer_asked() == LAT_NOTHING) return status;
  if (!called_by(__builtin_return_address(0), (const void*)(uintptr_t)original)) {
    opened(*fabric, info->fabric_attr->provider);
  }
  return status;
}
