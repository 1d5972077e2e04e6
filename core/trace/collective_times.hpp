#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// Calls of one collective, with equal numbers of members and similar sizes.
struct CollectiveTimes {
  Call call = Call::count_;
  std::uint32_t members = 0;
  std::uint32_t log2 = 0;  ///< as in CallCosts, of Event::bytes
  std::vector<double> ns;  ///< for each: from the arrival of the last member to the exit of the
                           ///< last one
  /// For the first of these collectives, by rank: the event of its call; kNoMember if it has none.
  std::vector<std::uint32_t> first;
};
inline constexpr std::uint32_t kNoMember = 0xffffffffU;

/// Durations of blocking collectives without a root in which all members have equal amounts of
/// data, so that no member may leave before the last one has come. None if the ranks have no common
/// clock. The tracer's own part in the last member's time is left out.
std::vector<CollectiveTimes> collective_times(const Trace& trace);

}  // namespace latitude::trace
