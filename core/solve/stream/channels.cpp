#include "core/solve/stream/channels.hpp"

#include <tuple>
#include <utility>

namespace latitude::solve {
namespace {

bool fits(std::int32_t sent, std::int32_t received) {
  return received == trace::kAnyTag || received == sent;
}

}  // namespace

std::optional<std::uint32_t> Channels::meet(const Channel& channel, End end, bool sends) {
  Waiting& waiting = waiting_[channel];
  Queue& others = sends ? waiting.receives : waiting.sends;
  std::uint32_t before = kNone;
  for (std::uint32_t at = others.first; at != kNone; before = at, at = waits_[at].next) {
    const End& other = waits_[at].end;
    if (!(sends ? fits(end.tag, other.tag) : fits(other.tag, end.tag))) continue;
    const std::uint32_t id = other.id;
    (before == kNone ? others.first : waits_[before].next) = waits_[at].next;
    if (others.last == at) others.last = before;
    waits_[at].next = std::exchange(free_, at);
    // Each collective has a context of its own.
    const bool lasts = channel.context <= ~std::uint32_t{0};
    const bool empty = waiting.sends.first == kNone && waiting.receives.first == kNone;
    if (!lasts && empty) waiting_.erase(channel);
    return id;
  }
  push(sends ? waiting.sends : waiting.receives, end);
  return std::nullopt;
}

void Channels::push(Queue& queue, End end) {
  std::uint32_t at = free_;
  if (at == kNone) {
    at = static_cast<std::uint32_t>(waits_.size());
    waits_.emplace_back();
  } else {
    free_ = waits_[at].next;
  }
  waits_[at] = {end, kNone};
  (queue.first == kNone ? queue.first : waits_[queue.last].next) = at;
  queue.last = at;
}

std::optional<Channels::Left> Channels::first_left() const {
  std::optional<Left> first;
  const auto order = [](const Left& left) {
    return std::tuple(left.channel.destination, left.channel.source, left.channel.context,
                      left.end.tag);
  };
  waiting_.each([&](const Channel& channel, const Waiting& waiting) {
    for (const bool sent : {true, false}) {
      const Queue& queue = sent ? waiting.sends : waiting.receives;
      for (std::uint32_t at = queue.first; at != kNone; at = waits_[at].next) {
        const Left left{channel, sent, waits_[at].end};
        if (!first || order(left) < order(*first)) first = left;
      }
    }
  });
  return first;
}

}  // namespace latitude::solve
