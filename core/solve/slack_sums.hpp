#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>

namespace latitude::solve {

/// The slack of some messages, ns.
struct SlackSums {
  std::uint64_t messages = 0;
  std::uint64_t critical = 0;  ///< without slack
  std::uint64_t tight = 0;     ///< with less than a latency, critical ones included
  double least_ns = std::numeric_limits<double>::infinity();
  double sum_ns = 0;

  void add(double slack_ns, double latency_ns) noexcept {
    ++messages;
    critical += slack_ns == 0 ? 1 : 0;
    tight += slack_ns < latency_ns ? 1 : 0;
    least_ns = std::min(least_ns, slack_ns);
    sum_ns += slack_ns;
  }
  void add(const SlackSums& others) noexcept {
    messages += others.messages;
    critical += others.critical;
    tight += others.tight;
    least_ns = std::min(least_ns, others.least_ns);
    sum_ns += others.sum_ns;
  }
};

/// Sums over messages with a common property, by the value of that property.
using SlackGroups = std::map<std::int64_t, SlackSums>;

/// Class of a message's bytes: 0 for none, else 1 plus the exponent of the least power of 2 that is
/// not smaller.
inline std::uint8_t size_class(std::uint64_t bytes) noexcept {
  return static_cast<std::uint8_t>(bytes == 0 ? 0 : 1 + std::bit_width(bytes - 1));
}

}  // namespace latitude::solve
