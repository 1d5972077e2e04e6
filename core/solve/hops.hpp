#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/solve/affine_dag.hpp"

namespace latitude::solve {

/// What the hops of a message are, in the order of their nodes. A rendezvous has its request first:
/// that node is the match, from which only the next two hops go on, to the end of the send and to
/// the data. In `sync` there is but one hop on a path.
enum Hop : std::uint8_t { kRequest, kSender, kData, kNotice };

/// A message of several hops.
struct Hops {
  static constexpr std::size_t kMost = 4;

  std::uint32_t hop[kMost] = {};  ///< where a list has what is asked of each
  NodeId node[kMost] = {};
  std::uint8_t latencies[kMost] = {};
  std::uint8_t hops = 0;
};

inline bool handshakes(const Hops& message) { return message.hops > kData; }
inline bool has_notice(const Hops& message) { return message.hops > kNotice; }

/// How much earlier than the match the request is there. Only the two hops go on from the match.
/// `left`: how much shorter than T the longest path through each hop is.
inline double early(const Hops& message, const double* left) {
  const double after = std::min(left[message.hop[kSender]], left[message.hop[kData]]);
  return std::max(0.0, left[message.hop[kRequest]] - after);
}

/// The slack of a message by the paths that have its request, or not, and one hop more. A path that
/// reaches the match from the receiver's side, if it is the later one, has one latency fewer; if it
/// is not, counting the longer one with fewer latencies than it has changes nothing, for that one
/// with all of them allows less.
inline double without_coming_back(const Hops& message, const double* left) {
  double slack = std::numeric_limits<double>::infinity();
  for (std::uint8_t i = 0; i < message.hops; ++i) {
    if (i == kRequest && handshakes(message)) continue;  // no path ends at the match
    slack = std::min(slack, left[message.hop[i]] / message.latencies[i]);
  }
  if (!handshakes(message)) return slack;
  const double wait = early(message, left);
  for (const Hop i : {kSender, kData}) {
    const int latencies = message.latencies[kRequest] + message.latencies[i];
    slack = std::min(slack, (left[message.hop[i]] + wait) / latencies);
  }
  return slack;
}

}  // namespace latitude::solve
