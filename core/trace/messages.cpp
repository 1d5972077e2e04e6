#include "core/trace/messages.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "core/trace/matching.hpp"

namespace latitude::trace {
namespace {

/// The ends that one rank posts.
struct Ends {
  std::vector<Message> sends;
  std::vector<Message> receives;
  std::vector<const Event*> posted;  ///< events that describe the receives
  RankPostings postings;
};

Ends ends_of(const Trace& trace, const RankTrace& rank) {
  Ends ends;
  for_each_end(trace, rank,
               [&](const Event&, const Event& by, bool receives, const Message& message,
                   std::int32_t world) {
                 std::vector<Message>& messages = receives ? ends.receives : ends.sends;
                 const auto number = static_cast<std::uint32_t>(messages.size());
                 messages.push_back(message);
                 if (receives) ends.posted.push_back(&by);
                 (receives ? ends.postings.receives : ends.postings.sends)
                     .push_back({by.comm, world, message.tag, number});
               });
  return ends;
}

/// Receives the matches.
struct IntoEnds {
  const Trace& trace;
  std::vector<Ends>& ends;

  void match(std::uint32_t source, std::uint32_t send, std::uint32_t destination,
             std::uint32_t receive) const {
    const Message& sent = ends[source].sends[send];
    Message& got = ends[destination].receives[receive];
    got.bytes = sent.bytes;
    got.tag = sent.tag;
    if (got.peer != kAnySource) return;
    const std::uint32_t comm = event_of(destination, receive).comm;
    got.peer = trace.communicators[comm].group.place_of(source).value();
  }
  void no_receive(std::uint32_t, std::uint32_t) const {}
  void no_send(std::uint32_t, std::uint32_t) const {}
  [[noreturn]] void ambiguous(std::uint32_t destination, std::uint32_t receive,
                              std::size_t senders) const {
    throw InputError(where(trace.ranks[destination], event_of(destination, receive)) +
                     " takes a message from any source, and the input does not say which of " +
                     std::to_string(senders) + " senders it came from; latitude trace records it");
  }
  const Event& event_of(std::uint32_t rank, std::uint32_t receive) const {
    return *ends[rank].posted[receive];
  }
};

}  // namespace

std::int32_t world_rank(const Trace& trace, const RankTrace& rank, const Event& event,
                        std::uint32_t comm, std::int32_t peer) {
  if (peer == kAnySource) return kAnySource;
  const Members& group = trace.communicators[comm].group;
  if (static_cast<std::size_t>(peer) >= group.size()) {
    throw InputError(where(rank, event) + " names rank " + std::to_string(peer) +
                     " of a communicator of " + std::to_string(group.size()));
  }
  return group[static_cast<std::size_t>(peer)];
}

std::vector<std::vector<Message>> received(const Trace& trace, unsigned threads) {
  std::vector<Ends> ends(trace.ranks.size());
  std::vector<RankPostings> postings(trace.ranks.size());
  parallel_for(trace.ranks.size(), threads, [&](std::size_t rank) {
    ends[rank] = ends_of(trace, trace.ranks[rank]);
    postings[rank] = std::move(ends[rank].postings);
  });
  match_messages(postings, threads, IntoEnds{trace, ends});
  std::vector<std::vector<Message>> result;
  for (Ends& own : ends) result.push_back(std::move(own.receives));
  return result;
}

}  // namespace latitude::trace
