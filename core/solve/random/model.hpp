#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/error.hpp"

namespace latitude::solve {

/// The place of the random latency: the same two places as in the injectors.
enum class Where : std::uint8_t {
  flow,    ///< on the wire: the message is late, and no CPU is delayed
  sender,  ///< on the CPU that posts the message, before the post
};

/// The messages that share one draw in a sample.
enum class Per : std::uint8_t {
  message,  ///< none: each message on the wire has its own draw
  pair,     ///< all messages of one rank to another
  rank,     ///< all messages that one rank posts
};

inline Where where_named(std::string_view name) {
  if (name == "flow") return Where::flow;
  if (name == "sender") return Where::sender;
  throw InputError("random latency is spent at 'flow' or 'sender', not '" + std::string(name) +
                   "'");
}

inline Per per_named(std::string_view name) {
  if (name == "message") return Per::message;
  if (name == "pair") return Per::pair;
  if (name == "rank") return Per::rank;
  throw InputError("latency is drawn per 'message', 'pair' or 'rank', not '" + std::string(name) +
                   "'");
}

/// The bounds of a table's values.
struct Bounds {
  double low = 0;
  double high = 0;
};

/// The random parameters. A table may have any values within its bounds; narrow bounds make a small
/// graph.
struct RandomModel {
  Where where = Where::flow;
  Per per = Per::message;
  Bounds latency{};               ///< added to each latency, ns
  std::optional<Bounds> noise{};  ///< factor on computation; none: computation as measured
  bool noise_per_rank = false;    ///< one factor per rank and sample, instead of one per calc
                                  ///< vertex
  bool prune = true;              ///< leave out edges that can never be critical
};

}  // namespace latitude::solve
