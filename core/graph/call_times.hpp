#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/overheads.hpp"

namespace latitude::graph {

/// Durations of a run's calls that had nothing to wait for, ns, by kind and by size as in
/// trace::CallCosts. In a graph that is built with them, these durations replace o on any network.
/// Calls that cannot wait keep their own durations.
struct CallTimes {
  /// For each end of a message.
  std::map<std::tuple<trace::Service, trace::Call, std::uint32_t>, double> ends;
  /// For collectives, by their number of members: from the arrival of the last member to the exit
  /// of the last one, less the latencies and bytes of their messages.
  std::map<std::tuple<trace::Call, std::uint32_t, std::uint32_t>, double> collectives;
  std::uint64_t eager = 0;  ///< bytes: a larger blocking send waits for its receiver
  /// By rank: its return from MPI_Init, relative to the first one. Empty: not known.
  std::vector<std::int64_t> starts_ns;

  /// The duration for an end of a message of `bytes`; none if it is not known.
  std::optional<double> of_end(trace::Service service, trace::Call call, double bytes) const;
  /// The duration for a collective; none if it is not known.
  std::optional<double> of_collective(trace::Call call, std::uint32_t members,
                                      std::uint64_t bytes) const;
};

}  // namespace latitude::graph
