#include "core/trace/message_order.hpp"

#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "core/trace/matching.hpp"
#include "core/trace/message_ends.hpp"

namespace latitude::trace {
namespace {

/// Receives the matches; each destination has a result of its own.
struct Compared {
  const Trace& trace;
  const std::vector<RankEnds>& ends;
  std::vector<MessageOrder>& found;

  void match(std::uint32_t source, std::uint32_t send, std::uint32_t destination,
             std::uint32_t receive) const {
    const std::uint32_t completed = ends[destination].receives[receive].completed;
    if (source == destination || completed == MessageEnd::kNone) return;
    const RankTrace& from = trace.ranks[source];
    const RankTrace& to = trace.ranks[destination];
    const std::int64_t left = from.common.at(from.events[ends[source].sends[send].posted].enter_ns);
    MessageOrder& order = found[destination];
    ++order.messages;
    const std::int64_t early = left - to.common.at(to.events[completed].leave_ns);
    const std::int64_t error = from.common.error_ns + to.common.error_ns;
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
  std::vector<RankEnds> ends(ranks);
  std::vector<RankPostings> postings(ranks);
  parallel_for(ranks, threads, [&](std::size_t rank) {
    ends[rank] = message_ends(trace, trace.ranks[rank]);
    postings[rank] = std::move(ends[rank].postings);
  });
  std::vector<MessageOrder> found(ranks);
  match_messages(postings, threads, Compared{trace, ends, found});
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
