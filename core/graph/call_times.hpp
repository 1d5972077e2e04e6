#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/overheads.hpp"

namespace latitude::graph {

/// What the calls of a run took where they had nothing to wait for, ns, by kind and by size as in
/// trace::CallCosts. A graph that is built with it has the times of calls in place of o, whatever
/// the network. Calls that cannot wait keep their own times.
struct CallTimes {
  /// Of each end of a message.
  std::map<std::tuple<trace::Service, trace::Call, std::uint32_t>, double> ends;
  /// Of collectives, by their numbers of members: from when the last member came until the last one
  /// left, less the latencies and bytes of their messages.
  std::map<std::tuple<trace::Call, std::uint32_t, std::uint32_t>, double> collectives;
  std::uint64_t eager = 0;  ///< bytes: a larger blocking send waits for its receiver
  /// By rank: when it returned from MPI_Init, after the first one. Empty: that is not known.
  std::vector<std::int64_t> starts_ns;

  /// Of an end of that size; none: it is not known.
  std::optional<double> of_end(trace::Service service, trace::Call call, double bytes) const;
  /// The same of a collective.
  std::optional<double> of_collective(trace::Call call, std::uint32_t members,
                                      std::uint64_t bytes) const;
};

}  // namespace latitude::graph
