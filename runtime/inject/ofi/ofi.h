#ifndef LATITUDE_INJECT_OFI_OFI_H
#define LATITUDE_INJECT_OFI_OFI_H

/// The flow injector under libfabric: each completion of a receive is handed to MPI at arrival +
/// delay; the sender goes on at once. [S] §III.A, Fig. 8 D.
///
///     MPI                  fi_send … ─▶ send.c puts a stamp into the completion data ─▶ provider
///     MPI ◀─ fi_cq_read ◀─ queue.c, when due ◀─ heap ◀─ receive.c takes it off ◀─────── provider
///
/// A provider matches messages with receives by itself, so a message is seen when both are there.
/// What it counts from is its arrival all the same: the stamp says when it was sent.

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../preload/fabric.h"
#include "../flow/heap.h"
#include "../watch.h"
#include "sources.h"

/// The object of ours that holds a table of functions which an object of libfabric now points to.
#define LAT_AROUND(table, type, member) ((type*)(void*)((char*)(table) - offsetof(type, member)))

/// What stands behind an object of libfabric: its closing is ours, to free what we added.
struct lat_object {
  struct ofi_fid_ops ops;
  struct ofi_fid_ops* original;
  void (*end)(struct lat_object*);
};

void lat_object_begin(struct lat_object* object, struct ofi_fid* fid,
                      void (*end)(struct lat_object*));

/// NULL when `fid` is not ours.
struct lat_object* lat_object_of(const struct ofi_fid* fid);

/// Copies a table that may be shorter or longer than we know.
void lat_table_copy(void* ours, size_t size, const void* theirs);

/// An endpoint: what it sends is stamped, and when it posts receives is noted.
struct lat_ep {
  struct lat_object object;
  struct ofi_ep* ep;
  uint64_t op_flags;  // the default ones for sending
  struct ofi_ep_ops ops, *original;
  struct ofi_msg_ops msg, *original_msg;
  struct ofi_tagged_ops tagged, *original_tagged;
};

/// Puts our functions into the endpoint's tables; again where the provider has changed them.
void lat_ep_hook(struct lat_ep* ep);

/// A completion and whom it came from.
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
  struct lat_cq* next;  // of all
  struct ofi_cq* cq;
  struct ofi_cq_ops ops, *original;
  int format;    // the one asked for; the provider is told OFI_CQ_TAGGED
  bool stamped;  // messages carry when they were sent; else they count from when they are found
  pthread_mutex_t lock;
  uint64_t looked;  // when the provider was last asked in vain
  struct lat_watch watch;
  uint64_t arrivals;
  struct lat_heap waiting;
  struct lat_completion* ready;  // a ring
  size_t first_ready, ready_count, ready_room;
  struct lat_failure *failures, **last_failure;
  struct lat_sources sources;
};

/// Takes in what the provider has completed, found at that time (ns): it is ready, or waits.
void lat_take(struct lat_cq* cq, struct lat_completion* completion, uint64_t found);
void lat_make_ready(struct lat_cq* cq, const struct lat_completion* completion);

/// Makes ready what is due.
void lat_release_due(struct lat_cq* cq);

/// Receives that MPI has just posted, and questions whether a message is there.
void lat_posted(const void* context, uint64_t flags);
uint64_t lat_posted_at(const void* context);
bool lat_peek_ended(const void* context);

/// Puts our functions into a queue that has just been opened.
void lat_cq_hook(struct ofi_cq* cq, int format, bool stamped);

/// Whether one who would sleep until something happens must not: a message waits for its time.
bool lat_cq_holds(const struct ofi_fid* fid);
bool lat_any_cq_holds(void);

#endif
