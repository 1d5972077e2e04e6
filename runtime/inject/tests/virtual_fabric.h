#ifndef LATITUDE_VIRTUAL_FABRIC_H
#define LATITUDE_VIRTUAL_FABRIC_H

/// A libfabric whose only provider is a network in virtual time. A message keeps its sender busy
/// for `overhead_ns`, and is at its receiver `latency_ns` later; it meets a receive when the
/// receiver polls. Addresses are ranks; every rank has one endpoint and one queue.

#include <stdint.h>

struct virtual_wire {
  uint64_t overhead_ns, latency_ns;
  uint64_t look_ns;  // cost of reading a queue, which returns the arrivals up to its end
};
extern struct virtual_wire virtual_wire;

#endif
