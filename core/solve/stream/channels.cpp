#include "core/solve/stream/channels.hpp"

#include <algorithm>
#include <tuple>

namespace latitude::solve {
namespace {

bool fits(std::int32_t sent, std::int32_t received) {
  return received == trace::kAnyTag || received == sent;
}

}  // namespace

std::optional<std::uint32_t> Channels::meet(const Channel& channel, End end, bool sends) {
  const auto found = waiting_.try_emplace(channel).first;
  Waiting& waiting = found->second;
  std::deque<End>& others = sends ? waiting.receives : waiting.sends;
  for (auto other = others.begin(); other != others.end(); ++other) {
    if (!(sends ? fits(end.tag, other->tag) : fits(other->tag, end.tag))) continue;
    const std::uint32_t id = other->id;
    others.erase(other);
    // Each collective has a context of its own.
    const bool lasts = channel.context <= ~std::uint32_t{0};
    if (!lasts && waiting.sends.empty() && waiting.receives.empty()) waiting_.erase(found);
    return id;
  }
  (sends ? waiting.sends : waiting.receives).push_back(end);
  return std::nullopt;
}

std::optional<Channels::Left> Channels::first_left() const {
  std::optional<Left> first;
  const auto order = [](const Left& left) {
    return std::tuple(left.channel.destination, left.channel.source, left.channel.context,
                      left.end.tag);
  };
  for (const auto& [channel, waiting] : waiting_) {
    for (const bool sent : {true, false}) {
      const std::deque<End>& ends = sent ? waiting.sends : waiting.receives;
      if (ends.empty()) continue;
      const Left left{channel, sent,
                      *std::ranges::min_element(ends, {}, [](const End& end) { return end.tag; })};
      if (!first || order(left) < order(*first)) first = left;
    }
  }
  return first;
}

}  // namespace latitude::solve
