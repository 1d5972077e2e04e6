#ifndef LATITUDE_VIRTUAL_UCT_H
#define LATITUDE_VIRTUAL_UCT_H

/// A libuct whose only transport is a network in virtual time. A message keeps its sender busy for
/// `overhead_ns`, and is at its receiver `latency_ns` and its bytes' time later; the receiver finds
/// it when it polls. A worker is a rank, and so is an address.

#include <stdint.h>

struct virtual_network {
  uint64_t overhead_ns, latency_ns;
  uint64_t kilobyte_ns;  // time of 1,000 bytes on the wire
  uint64_t look_ns;      // a round of progress
  uint64_t leaving_ns;   // time after which a message has left the memory of its sender
  uint64_t full;         // 1: the first of every two tries to send finds no room
  uint64_t look_first;   // 1: the worker's progress comes before the registered callbacks, 0: after
};
extern struct virtual_network virtual_network;

/// UCT's type of a worker.
void* virtual_uct_worker(int rank);

/// A round of progress of a rank's worker.
void virtual_uct_progress(int rank);

/// A message of which the sender knows only that it leaves at `moment`.
void virtual_uct_send_at(uint64_t moment, int to, uint8_t id, uint64_t header);

#endif
