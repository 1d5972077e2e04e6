#ifndef LATITUDE_INJECT_FLOW_H
#define LATITUDE_INJECT_FLOW_H

/// The flow injector under UCX: each active message is handed to UCP at arrival + delay; the sender
/// goes on at once (Shen et al. 2024, §III.A, Fig. 8 D).
///
///     UCP                   am_short/bcopy/zcopy ─▶ send.c puts a stamp in front ─▶ transport
///     UCP ◀─ receive.c, when due ◀─ heap ◀─ receive.c takes the stamp off ◀──────── transport
///     UCP ◀─ receive.c, when due ◀─ heap ◀─ remote.c ◀─ put_zcopy, get_zcopy ends ─ transport
///
/// Everything of one UCT worker runs inside its progress, so under the lock that UCP holds there.

#include <stdbool.h>
#include <stdint.h>

#include "../../preload/uct.h"
#include "../watch.h"
#include "arrival.h"
#include "heap.h"
#include "idle.h"

/// The header that the sender puts before each active message. All ranks behave the same: messages
/// have it whether delays are on or off.
struct lat_stamp {
  uint64_t sent;           // ns of the sender's clock; 0 if undelayed
  uint64_t delay_ns : 53;  // the largest value of a table
  uint64_t mark : 11;      // LAT_MARK: a message without it was sent by a rank without the injector
  uint32_t process;        // a random number, not 0
  uint32_t node;           // hash of its clock's name: equal numbers share a clock
};

enum { LAT_MARK = 0x52d };

struct lat_iface;

/// A handler set by UCP.
struct lat_slot {
  struct lat_iface* iface;
  uct_handler* handler;
  void* argument;
  uint8_t id;
  bool undelayed;  // connection establishment, and handlers that any thread may call
};

/// An interface whose operations are the injector's.
struct lat_iface {
  struct uct_iface* iface;
  struct lat_worker* worker;
  struct uct_iface_ops original;
  struct lat_slot slots[UCT_MOST_IDS];
  uint64_t operations;  // on other processes' memory, whose end has not been reported to UCP
  uint64_t last_due;    // the latest time of a report to UCP
  size_t device_address_length, address_length, ep_address_length;
  struct lat_loop* loops;  // endpoints that lead back to this interface
};

/// A UCT worker with such interfaces.
struct lat_worker {
  void* worker;
  struct lat_worker* next;
  int callback;
  uint64_t called;       // time of the last progress
  struct lat_look look;  // at the transport
  struct lat_watch watch;
  uint64_t watched;  // time until which it polled in the last round, or slept
  uint64_t arrivals;
  struct lat_heap waiting;
  struct lat_source* sources;  // open addressing by process
  uint32_t source_count, source_room;
  struct lat_idle idle;
  bool found;  // a message, in this round of progress
};

/// The interface's own operations and handlers; NULL for one without the injector.
struct lat_iface* lat_iface_of(const struct uct_iface* iface);

struct lat_stamp lat_stamp_next(uint8_t id);
void lat_send_hook(struct uct_iface_ops* ops);
void lat_remote_hook(struct uct_iface_ops* ops);

/// Whether an endpoint leads back to its own interface.
bool lat_to_itself(struct lat_iface* iface, const struct uct_ep* ep);
void lat_itself_free(struct lat_iface* iface);
uint32_t lat_node(void);

/// State of a sender, or of the way to a peer; `id` is odd. Valid until the next call.
struct lat_source* lat_source_of(struct lat_worker* worker, uint32_t id, bool same_clock);

/// Keeps a copy of `what` and of its data until the message is due.
void lat_wait_until_due(struct lat_worker* worker, const struct lat_message* what,
                        const void* data);

/// Reports to UCP that an operation that UCP began is over.
void lat_tell(struct lat_worker* worker, struct uct_completion* finished, uct_status status);

/// As lat_tell, for an operation on another process' memory.
void lat_finish(struct lat_iface* iface, struct uct_completion* finished, uct_status status);

/// Ends the process: some ranks run without the injector.
_Noreturn void lat_refuse_peer(void);

uct_handler lat_receive;
uct_callback lat_release;
void lat_worker_free(struct lat_worker* worker);

#endif
