#ifndef LATITUDE_INJECT_OFI_OFI_H
#define LATITUDE_INJECT_OFI_OFI_H

/// The flow injector under libfabric: each completion of a receive is handed to MPI at arrival +
/// delay; the sender goes on at once (Shen et al. 2024, §III.A, Fig. 8 D).
///
///     MPI                  fi_send … ─▶ send.c puts a stamp into the completion data ─▶ provider
///     MPI ◀─ fi_cq_read ◀─ queue.c, when due ◀─ heap ◀─ receive.c takes it off ◀─────── provider
///
/// A provider matches messages with receives by itself, so a message appears when both are there.
/// The delay still counts from the message's arrival, which follows from the time of sending in the
/// stamp.

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../preload/fabric.h"
#include "../flow/heap.h"
#include "../watch.h"
#include "sources.h"

/// The injector's object that holds the function table to which an object of libfabric now points.
#define LAT_AROUND(table, type, member) ((type*)(void*)((char*)(table) - offsetof(type, member)))

/// Data behind an object of libfabric: the injector closes it, to free its own additions.
struct lat_object {
  struct ofi_fid_ops ops;
  struct ofi_fid_ops* original;
  void (*end)(struct lat_object*);
};

void lat_object_begin(struct lat_object* object, struct ofi_fid* fid,
                      void (*end)(struct lat_object*));

/// NULL if `fid` is not an object of the injector.
struct lat_object* lat_object_of(const struct ofi_fid* fid);

/// Copies a table that may be shorter or longer than the one known here.
void lat_table_copy(void* ours, size_t size, const void* theirs);

/// An endpoint: its sends get stamps, and the times of its postings of receives are stored.
struct lat_ep {
  struct lat_object object;
  struct ofi_ep* ep;
  uint64_t op_flags;  // the default flags for sending
  struct ofi_ep_ops ops, *original;
  struct ofi_msg_ops msg, *original_msg;
  struct ofi_tagged_ops tagged, *original_tagged;
};

/// Puts the injector's functions into the endpoint's tables; again if the provider has changed
/// them.
void lat_ep_hook(struct lat_ep* ep);

/// A completion with its source.
struct lat_completion {
  struct ofi_entry entry;
  uint64_t source;
};

struct lat_failure {
  struct lat_failure* next;
  struct ofi_error error;
};

/// A completion queue.
struct lat_cq {
  struct lat_object object;
  struct lat_cq* next;  // list of all queues
  struct ofi_cq* cq;
  struct ofi_cq_ops ops, *original;
  int format;    // the requested format; the provider is given OFI_CQ_TAGGED
  bool stamped;  // messages carry the time of their sending; otherwise delays count from the time
                 // at which they are found
  pthread_mutex_t lock;
  uint64_t looked;  // time of the provider's last poll without success
  struct lat_watch watch;
  uint64_t arrivals;
  struct lat_heap waiting;
  struct lat_completion* ready;  // a ring
  size_t first_ready, ready_count, ready_room;
  struct lat_failure *failures, **last_failure;
  struct lat_sources sources;
};

/// Takes the provider's completions, found at the time `found` (ns): each is ready, or waits.
void lat_take(struct lat_cq* cq, struct lat_completion* completion, uint64_t found);
void lat_make_ready(struct lat_cq* cq, const struct lat_completion* completion);

/// Makes due completions ready.
void lat_release_due(struct lat_cq* cq);

/// Stores receives that MPI has just posted, and queries for a message.
void lat_posted(const void* context, uint64_t flags);
uint64_t lat_posted_at(const void* context);
bool lat_peek_ended(const void* context);

/// Puts the injector's functions into a queue that has just been opened.
void lat_cq_hook(struct ofi_cq* cq, int format, bool stamped);

/// Whether a process that would sleep until an event must not do so: a message waits for its time.
bool lat_cq_holds(const struct ofi_fid* fid);
bool lat_any_cq_holds(void);

#endif
