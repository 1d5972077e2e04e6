#include "core/trace/message_order.hpp"

#include <limits>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "core/trace/matching.hpp"
#include "core/trace/messages.hpp"

namespace latitude::trace {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// Times of the ends of a rank's messages by the common clock, in the order of its postings.
struct Times {
  std::vector<std::int64_t> left;     ///< of what it sends
  std::vector<std::int64_t> arrived;  ///< of what it receives; kNever: not known
};

class RankTimes {
 public:
  RankTimes(const Trace& trace, const RankTrace& rank) : trace_(trace), rank_(rank) {}

  std::pair<Times, RankPostings> run() {
    std::size_t next = 0;  // the first event whose requests may still be completed
    for_each_end(trace_, rank_,
                 [&](const Event& event, const Event& by, bool receives, const Message& message,
                     std::int32_t world) {
                   complete_until(next, number_of(event));
                   post(event, by, receives, message, world);
                 });
    complete_until(next, rank_.events.size());
    return {std::move(times_), std::move(postings_)};
  }

 private:
  void post(const Event& event, const Event& by, bool receives, const Message& message,
            std::int32_t world) {
    if (!receives) {
      const auto number = static_cast<std::uint32_t>(times_.left.size());
      postings_.sends.push_back({by.comm, world, message.tag, number});
      times_.left.push_back(rank_.common.at(event.enter_ns));
      return;
    }
    const auto number = static_cast<std::uint32_t>(times_.arrived.size());
    postings_.receives.push_back({by.comm, world, message.tag, number});
    const CallClass kind = class_of(event.call);
    const bool blocking = kind == CallClass::recv || kind == CallClass::sendrecv;
    times_.arrived.push_back(blocking ? rank_.common.at(event.leave_ns) : kNever);
    if (!blocking) active_[static_cast<std::uint32_t>(number_of(by))] = number;
  }

  std::size_t number_of(const Event& event) const {
    return static_cast<std::size_t>(&event - rank_.events.data());
  }

  /// The receives that the calls before `end` have completed.
  void complete_until(std::size_t& next, std::size_t end) {
    for (; next < end; ++next) {
      const Event& done = rank_.events[next];
      if (class_of(done.call) != CallClass::completion) continue;
      for (const std::uint32_t request : requests_of(rank_, done)) {
        const auto found = active_.find(request);
        if (found == active_.end()) continue;
        times_.arrived[found->second] = rank_.common.at(done.leave_ns);
        active_.erase(found);
      }
    }
  }

  const Trace& trace_;
  const RankTrace& rank_;
  Times times_;
  RankPostings postings_;
  std::unordered_map<std::uint32_t, std::uint32_t> active_;  ///< requests to receives
};

/// Takes what matching finds; each destination has a result of its own.
struct Compared {
  const Trace& trace;
  const std::vector<Times>& times;
  std::vector<MessageOrder>& found;

  void match(std::uint32_t source, std::uint32_t send, std::uint32_t destination,
             std::uint32_t receive) const {
    const std::int64_t arrived = times[destination].arrived[receive];
    if (source == destination || arrived == kNever) return;
    MessageOrder& order = found[destination];
    ++order.messages;
    const std::int64_t early = times[source].left[send] - arrived;
    const std::int64_t error =
        trace.ranks[source].common.error_ns + trace.ranks[destination].common.error_ns;
    if (early <= error) return;
    ++order.reversed;
    if (early > order.worst_ns) {
      order.worst_ns = early;
      order.source = source;
      order.destination = destination;
    }
  }
  void no_receive(std::uint32_t, std::uint32_t) const {}
  void no_send(std::uint32_t, std::uint32_t) const {}
  void ambiguous(std::uint32_t, std::uint32_t, std::size_t) const {}
};

}  // namespace

MessageOrder order_of_messages(const Trace& trace, unsigned threads) {
  const std::size_t ranks = trace.ranks.size();
  std::vector<Times> times(ranks);
  std::vector<RankPostings> postings(ranks);
  parallel_for(ranks, threads, [&](std::size_t rank) {
    std::tie(times[rank], postings[rank]) = RankTimes(trace, trace.ranks[rank]).run();
  });
  std::vector<MessageOrder> found(ranks);
  match_messages(postings, threads, Compared{trace, times, found});
  MessageOrder all;
  for (const MessageOrder& order : found) {
    if (order.worst_ns > all.worst_ns) {
      all.worst_ns = order.worst_ns;
      all.source = order.source;
      all.destination = order.destination;
    }
    all.messages += order.messages;
    all.reversed += order.reversed;
  }
  return all;
}

}  // namespace latitude::trace
