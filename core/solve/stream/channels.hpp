#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/flat_map.hpp"
#include "core/trace/event.hpp"

namespace latitude::solve {

/// Matches messages as their ends are posted, each rank's in program order, by the rule of
/// core/trace/matching.hpp. The matches do not depend on the order between ranks: on both sides of
/// a channel the earliest fitting end is taken.
class Channels {
 public:
  /// Messages from `source` to `destination` in one context (trace::Posting).
  struct Channel {
    std::uint64_t context;
    std::uint32_t source;
    std::uint32_t destination;
    bool operator==(const Channel&) const = default;
  };
  /// An end that waits for the other: `id` is the caller's.
  struct End {
    std::int32_t tag;
    std::uint32_t id;
  };
  struct Left {
    Channel channel;
    bool sent;
    End end;
  };

  /// The receive that a send meets; none if the send has to wait.
  std::optional<std::uint32_t> send(const Channel& channel, End end) {
    return meet(channel, end, true);
  }
  /// The send that a receive meets; none if the receive has to wait.
  std::optional<std::uint32_t> receive(const Channel& channel, End end) {
    return meet(channel, end, false);
  }
  /// A waiting end, of the first rank with one to receive; none if all have met.
  std::optional<Left> first_left() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Waits {
    End end;
    std::uint32_t next;
  };
  /// Ends in order of arrival, in waits_.
  struct Queue {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  struct Waiting {
    Queue sends;
    Queue receives;
  };
  struct Hash {
    std::uint64_t operator()(const Channel& channel) const noexcept {
      const std::uint64_t ranks = std::uint64_t{channel.source} << 32 | channel.destination;
      return channel.context * 0x9e3779b97f4a7c15U ^ ranks * 0xc2b2ae3d27d4eb4fU;
    }
  };

  std::optional<std::uint32_t> meet(const Channel& channel, End end, bool sends);
  void push(Queue& queue, End end);

  FlatMap<Channel, Waiting, Hash> waiting_;
  std::vector<Waits> waits_;
  std::uint32_t free_ = kNone;  ///< first free place in waits_
};

}  // namespace latitude::solve
