#ifndef LATITUDE_VIRTUAL_FABRIC_H
#define LATITUDE_VIRTUAL_FABRIC_H

/// A libfabric whose one provider is a network in virtual time. A message keeps its sender busy for
/// `overhead_ns`, and is at its receiver `latency_ns` later, where it meets a receive when the
/// receiver looks. Addresses are ranks; every rank has one endpoint and one queue.

#include <stdint.h>

struct virtual_wire {
  uint64_t overhead_ns, latency_ns;
  uint64_t look_ns;  // what reading a queue takes, at the end of which is seen what has come
};
extern struct virtual_wire virtual_wire;

#endif
