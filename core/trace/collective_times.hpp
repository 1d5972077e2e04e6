#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// Calls of one collective, of as many members and similar size.
struct CollectiveTimes {
  Call call = Call::count_;
  std::uint32_t members = 0;
  std::uint32_t log2 = 0;  ///< as in CallCosts, of Event::bytes
  std::vector<double> ns;  ///< of each: from when the last member came until the last one left
  /// Of the first of them, by rank: the event that is its call; kNoMember where it has none.
  std::vector<std::uint32_t> first;
};
inline constexpr std::uint32_t kNoMember = 0xffffffffU;

/// Of blocking collectives that have no root and in which all members have as much data, so that
/// none of them may leave before the last one has come. None where the ranks have no common clock.
/// The tracer's own part in the last member's time is left out.
std::vector<CollectiveTimes> collective_times(const Trace& trace);

}  // namespace latitude::trace
