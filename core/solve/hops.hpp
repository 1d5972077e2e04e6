#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/solve/affine_dag.hpp"

namespace latitude::solve {

/// The hops of a message, in the order of their nodes. A rendezvous has its RTS first, and the node
/// of the RTS is the match. From the match only the next two hops continue: to the end of the send,
/// and to the data. In `sync` only one hop is on a path.
enum Hop : std::uint8_t { kRequest, kSender, kData, kNotice };

/// A message of several hops.
struct Hops {
  static constexpr std::size_t kMost = 4;

  std::uint32_t hop[kMost] = {};  ///< index of the message's values in a list
  NodeId node[kMost] = {};
  std::uint8_t latencies[kMost] = {};
  std::uint8_t hops = 0;
};

inline bool handshakes(const Hops& message) { return message.hops > kData; }
inline bool has_notice(const Hops& message) { return message.hops > kNotice; }

/// The time by which the RTS precedes the match. Only the hops kSender and kData continue from the
/// match. `left`: the difference between T and the longest path through each hop.
inline double early(const Hops& message, const double* left) {
  const double after = std::min(left[message.hop[kSender]], left[message.hop[kData]]);
  return std::max(0.0, left[message.hop[kRequest]] - after);
}

/// The slack of a message, from the paths through one of its hops, and from those through its RTS
/// and one further hop. If the receiver's side decides the match, the path through a further hop
/// does not contain the latencies of the RTS. If the RTS decides the match, its latencies may be
/// missing in the count of the first case, but the count with all latencies then gives less slack.
inline double without_coming_back(const Hops& message, const double* left) {
  double slack = std::numeric_limits<double>::infinity();
  for (std::uint8_t i = 0; i < message.hops; ++i) {
    if (i == kRequest && handshakes(message)) continue;  // no path ends at the RTS
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
