// UCT's functions that UCP calls by name: they open and close interfaces, and set handlers.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../preload/export.h"
#include "../../preload/original.h"
#include "../delay.h"
#include "../report.h"
#include "../settings.h"
#include "flow.h"

typedef uct_status open_function(void* domain, void* worker, const struct uct_iface_params* params,
                                 const void* config, struct uct_iface** iface);
typedef uct_status set_function(struct uct_iface* iface, uint8_t id, uct_handler* handler,
                                void* argument, uint32_t flags);
typedef void close_function(struct uct_iface* iface);
typedef void destroy_function(void* worker);
typedef void register_function(void* worker, uct_callback* function, void* argument, unsigned flags,
                               int* id);
typedef void unregister_function(void* worker, int* id);

static const char library[] = "libuct";
/// Transports that stay within a node.
static const char* const shared_memory[] = {"posix", "sysv",     "xpmem",   "cma",
                                            "knem",  "cuda_ipc", "rocm_ipc"};
/// Transports that never leave the process, or move no messages.
static const char* const local[] = {"self", "cuda_copy", "gdr_copy", "rocm_copy", "gdaki"};

// Interfaces are few, looked up for every message, and change when a worker comes or goes.
enum { MOST_IFACES = 1024 };
static struct lat_iface* ifaces[MOST_IFACES];
static struct lat_worker* workers;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static struct lat_iface gone;

static uint32_t place_of(const struct uct_iface* iface) {
  return (uint32_t)(((uintptr_t)iface >> 6) * 0x9e3779b1u) % MOST_IFACES;
}

struct lat_iface* lat_iface_of(const struct uct_iface* iface) {
  for (uint32_t at = place_of(iface);; at = (at + 1) % MOST_IFACES) {
    struct lat_iface* found = __atomic_load_n(&ifaces[at], __ATOMIC_ACQUIRE);
    if (!found || found->iface == iface) return found;
  }
}

static bool remember(struct lat_iface* iface) {
  uint32_t at = place_of(iface->iface);
  for (int tried = 0; tried < MOST_IFACES - 1; ++tried, at = (at + 1) % MOST_IFACES) {
    if (ifaces[at] && ifaces[at] != &gone) continue;
    __atomic_store_n(&ifaces[at], iface, __ATOMIC_RELEASE);
    return true;
  }
  return false;
}

static void forget(const struct lat_iface* iface) {
  for (uint32_t at = 0; at < MOST_IFACES; ++at) {
    if (ifaces[at] == iface) __atomic_store_n(&ifaces[at], &gone, __ATOMIC_RELEASE);
  }
}

static bool listed(const char* name, const char* const* names, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(name, names[i]) == 0) return true;
  }
  return false;
}
#define LISTED(name, names) listed(name, names, sizeof names / sizeof *names)

static bool delayed(const char* transport) {
  return !LISTED(transport, local) && (lat_intra_node() || !LISTED(transport, shared_memory));
}

static struct lat_worker* worker_of(void* handle) {
  struct lat_worker* worker = workers;
  while (worker && worker->worker != handle) worker = worker->next;
  return worker;
}

static struct lat_worker* worker_begin(void* handle) {
  struct lat_worker* worker = worker_of(handle);
  if (worker) return worker;
  worker = calloc(1, sizeof *worker);
  if (!worker) return NULL;
  static register_function* original;
  lat_find((void**)&original, "uct_worker_progress_register_safe", library);
  worker->worker = handle;
  worker->next = workers;
  worker->callback = -1;
  workers = worker;
  original(handle, lat_release, worker, UCT_PROGRESS_FAST, &worker->callback);
  return worker;
}

/// Arms an event, unless a message waits for its time: a process must then not sleep until a
/// message comes.
static uct_status event_arm(struct uct_iface* iface, unsigned events) {
  const struct lat_iface* ours = lat_iface_of(iface);
  return ours->worker->waiting.count ? UCT_ERR_BUSY : ours->original.event_arm(iface, events);
}

static void hook(struct uct_iface* iface, void* handle, const char* transport) {
  struct lat_iface* ours = calloc(1, sizeof *ours);
  pthread_mutex_lock(&changing);
  struct lat_worker* worker = ours ? worker_begin(handle) : NULL;
  if (worker) {
    ours->iface = iface;
    ours->worker = worker;
    ours->original = iface->ops;
    for (int id = 0; id < UCT_MOST_IDS; ++id) ours->slots[id].iface = ours;
  }
  if (!worker || !remember(ours)) {
    fprintf(stderr, "latitude: no room to delay one more interface\n");
    abort();  // the other ranks rely on the stamp
  }
  pthread_mutex_unlock(&changing);
  lat_idle_watch(&worker->idle, iface, transport);
  lat_send_hook(&iface->ops);
  lat_remote_hook(&iface->ops);
  iface->ops.event_arm = event_arm;
  lat_count_up(&lat_report->hooked);
}

LAT_EXPORT uct_status uct_iface_open(void* domain, void* worker,
                                     const struct uct_iface_params* params, const void* config,
                                     struct uct_iface** iface) {
  static open_function* original;
  lat_find((void**)&original, __func__, library);
  const uct_status status = original(domain, worker, params, config, iface);
  if (status != UCT_OK || lat_layer_asked() == LAT_NOTHING) return status;
  if (!(params->open_mode & UCT_OPEN_MODE_DEVICE)) return status;
  lat_delay_setup();
  const bool ours = lat_layer_asked() == LAT_FLOW && delayed(params->transport);
  lat_report_transport(params->transport, ours);
  if (ours) hook(*iface, worker, params->transport);
  if (!ours && !LISTED(params->transport, local)) lat_idle_not_alone();
  return status;
}

LAT_EXPORT uct_status uct_iface_set_am_handler(struct uct_iface* iface, uint8_t id,
                                               uct_handler* handler, void* argument,
                                               uint32_t flags) {
  static set_function* original;
  lat_find((void**)&original, __func__, library);
  struct lat_iface* ours = lat_iface_of(iface);
  if (!ours || !handler || id >= UCT_MOST_IDS) return original(iface, id, handler, argument, flags);
  struct lat_slot* slot = &ours->slots[id];
  slot->handler = handler;
  slot->argument = argument;
  slot->id = id;
  slot->undelayed = id == UCT_WIREUP_ID || (flags & UCT_CALLBACK_ASYNC);
  return original(iface, id, lat_receive, slot, flags);
}

static bool of_iface(const struct lat_message* message, const void* iface) {
  return message->iface == iface;
}

LAT_EXPORT void uct_iface_close(struct uct_iface* iface) {
  static close_function* original;
  lat_find((void**)&original, __func__, library);
  struct lat_iface* ours = lat_iface_of(iface);
  original(iface);
  if (!ours) return;
  pthread_mutex_lock(&changing);
  lat_heap_drop(&ours->worker->waiting, of_iface, ours);
  forget(ours);
  pthread_mutex_unlock(&changing);
  lat_itself_free(ours);
  free(ours);
}

LAT_EXPORT void uct_worker_destroy(void* handle) {
  static destroy_function* original;
  static unregister_function* unregister;
  lat_find((void**)&original, __func__, library);
  pthread_mutex_lock(&changing);
  struct lat_worker** link = &workers;
  while (*link && (*link)->worker != handle) link = &(*link)->next;
  struct lat_worker* worker = *link;
  if (worker) *link = worker->next;
  pthread_mutex_unlock(&changing);
  if (worker) {
    lat_find((void**)&unregister, "uct_worker_progress_unregister_safe", library);
    unregister(handle, &worker->callback);
    lat_worker_free(worker);
  }
  original(handle);
}
