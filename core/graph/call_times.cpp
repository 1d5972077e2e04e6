#include "core/graph/call_times.hpp"

#include <cmath>

namespace latitude::graph {
namespace {

template <class Times, class Kind>
std::optional<double> found_in(const Times& times, const Kind& kind) {
  const auto found = times.find(kind);
  return found == times.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<double> CallTimes::of_end(trace::Service service, trace::Call call,
                                        double bytes) const {
  const auto size = static_cast<std::uint64_t>(std::ceil(bytes));
  return found_in(ends, std::tuple(service, call, trace::log2_of(size)));
}

std::optional<double> CallTimes::of_collective(trace::Call call, std::uint32_t members,
                                               std::uint64_t bytes) const {
  return found_in(collectives, std::tuple(call, members, trace::log2_of(bytes)));
}

}  // namespace latitude::graph
