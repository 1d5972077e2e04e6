#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "core/release.hpp"
#include "core/trace/event.hpp"

namespace latitude::trace {

// MPI's non-overtaking rule (MPI 4.1 §3.5): per context, source and destination, receives in
// posting order each take the first unmatched message, in sending order, whose tag fits.

/// One end of a message, as its rank posts it.
struct Posting {
  std::uint64_t context;  ///< communicator (and, for a collective's own messages, its number)
  std::int32_t peer;      ///< world rank, or kAnySource in a receive
  std::int32_t tag;       ///< tag; in a receive perhaps kAnyTag
  std::uint32_t id;       ///< number of the end, for the caller
};

struct RankPostings {
  std::vector<Posting> sends;     ///< in sending order
  std::vector<Posting> receives;  ///< in posting order
};

namespace matching {

/// A message end of one destination; the ends of one (context, source) channel are in order.
struct End {
  std::uint64_t context;
  std::int32_t source;
  std::int32_t tag;
  std::uint32_t id;
};

inline auto channel_of(const End& end) { return std::tuple(end.source, end.context); }

/// Sorts ends by channel; the ends of a channel stay in order.
inline void sort_by_channel(std::vector<End>& ends) {
  if (std::ranges::is_sorted(ends, {}, channel_of)) return;
  const auto source_of = [](const End& end) { return static_cast<std::size_t>(end.source); };
  const std::size_t highest = source_of(std::ranges::max(ends, {}, source_of));
  if (ends.size() <= highest) {
    std::ranges::stable_sort(ends, {}, channel_of);
    return;
  }
  // Sources are few, and contexts seldom more than one, so sources are counted.
  std::vector<std::size_t> next(highest + 2);  // for each source: the place of its next one
  for (const End& end : ends) ++next[source_of(end) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<End> sorted(ends.size());
  for (const End& end : ends) sorted[next[source_of(end)]++] = end;
  ends = std::move(sorted);
  std::size_t begin = 0;
  for (std::size_t source = 0; source <= highest; ++source) {
    const std::span<End> own = std::span(ends).subspan(begin, next[source] - begin);
    if (!std::ranges::is_sorted(own, {}, &End::context)) {
      std::ranges::stable_sort(own, {}, &End::context);
    }
    begin = next[source];
  }
}

/// The sources with messages left for wildcards: they sent more than the receives that name source
/// and tag take.
class Senders {
 public:
  struct Sender {
    std::uint64_t context;
    std::int32_t tag;  ///< tag, or kAnyTag
    std::int32_t source;
    auto operator<=>(const Sender&) const = default;
  };

  Senders(const std::vector<End>& sends, const std::vector<End>& receives) {
    std::map<Sender, std::int64_t> left;
    for (const End& send : sends) ++left[{send.context, send.tag, send.source}];
    for (const End& receive : receives) {
      if (receive.source != kAnySource && receive.tag != kAnyTag) {
        --left[{receive.context, receive.tag, receive.source}];
      }
    }
    for (const auto& [sender, count] : left) {
      if (count <= 0) continue;
      all_.push_back(sender);
      all_.push_back({sender.context, kAnyTag, sender.source});
    }
    std::ranges::sort(all_);
    const auto repeated = std::ranges::unique(all_);
    all_.erase(repeated.begin(), repeated.end());
  }

  /// Sources from which a receive from any source could take a message, each source once.
  std::span<const Sender> of(const End& receive) const {
    const auto place = [](const Sender& sender) { return std::pair(sender.context, sender.tag); };
    const auto fitting =
        std::ranges::equal_range(all_, std::pair(receive.context, receive.tag), {}, place);
    return {fitting.begin(), fitting.end()};
  }

 private:
  std::vector<Sender> all_;
};

/// Matches the messages sent to one rank with its receives.
template <class Sink>
class RankMatcher {
 public:
  RankMatcher(const Sink& sink, std::uint32_t rank) : sink_(sink), rank_(rank) {}

  void run(std::vector<End> sends, std::vector<End> receives) const {
    if constexpr (requires { sink_.leaves_open(); }) {
      if (sink_.leaves_open()) leave_open(sends, receives);
    }
    resolve_wildcards(sends, receives);
    sort_by_channel(sends);
    sort_by_channel(receives);
    std::size_t s = 0;
    std::size_t r = 0;
    while (s < sends.size() || r < receives.size()) {
      const End& first = r == receives.size() || (s < sends.size() &&
                                                  channel_of(sends[s]) < channel_of(receives[r]))
                             ? sends[s]
                             : receives[r];
      const auto channel = channel_of(first);
      const auto other = [&](const End& end) { return channel_of(end) != channel; };
      const auto s_end =
          std::find_if(sends.begin() + static_cast<std::ptrdiff_t>(s), sends.end(), other) -
          sends.begin();
      const auto r_end =
          std::find_if(receives.begin() + static_cast<std::ptrdiff_t>(r), receives.end(), other) -
          receives.begin();
      match_channel(std::span(sends).subspan(s, static_cast<std::size_t>(s_end) - s),
                    std::span(receives).subspan(r, static_cast<std::size_t>(r_end) - r));
      s = static_cast<std::size_t>(s_end);
      r = static_cast<std::size_t>(r_end);
    }
  }

 private:
  void match_channel(std::span<End> sends, std::span<End> receives) const {
    const auto any_tag = [](const End& end) { return end.tag == kAnyTag; };
    if (std::ranges::any_of(receives, any_tag)) {
      match_in_turn(sends, receives);
      return;
    }
    // Without wildcards each tag has a queue of its own.
    if (!std::ranges::equal(sends, receives, {}, &End::tag, &End::tag)) {
      std::ranges::stable_sort(sends, {}, &End::tag);
      std::ranges::stable_sort(receives, {}, &End::tag);
    }
    std::size_t s = 0;
    std::size_t r = 0;
    while (s < sends.size() || r < receives.size()) {
      if (r == receives.size() || (s < sends.size() && sends[s].tag < receives[r].tag)) {
        no_receive(sends[s++]);
      } else if (s == sends.size() || receives[r].tag < sends[s].tag) {
        no_send(receives[r++]);
      } else {
        expect(sends, s, receives, r);
        match(sends[s++], receives[r++]);
      }
    }
  }

  /// Prepares the sink for a message that is matched soon.
  void expect(std::span<const End> sends, std::size_t s, std::span<const End> receives,
              std::size_t r) const {
    if constexpr (requires { sink_.expect(s, r); }) {
      constexpr std::size_t kAhead = 8;
      if (s + kAhead >= sends.size() || r + kAhead >= receives.size()) return;
      sink_.expect(sends[s + kAhead].id, receives[r + kAhead].id);
    }
  }

  /// A receive that names a tag takes the first remaining message of that tag; any other receive
  /// takes the first remaining message. The search passes each taken message at most twice: in the
  /// order of all, and in the order of its tag.
  void match_in_turn(std::span<const End> sends, std::span<const End> receives) const {
    std::vector<std::size_t> by_tag(sends.size());
    std::iota(by_tag.begin(), by_tag.end(), std::size_t{0});
    std::vector<std::size_t> next = by_tag;  // at the beginning of a tag's messages: its first
                                             // remaining one
    const auto tag_of = [&](std::size_t s) { return sends[s].tag; };
    std::ranges::stable_sort(by_tag, {}, tag_of);
    std::vector<bool> taken(sends.size());
    std::size_t first = 0;  // all messages before it are taken
    const auto first_of = [&](std::int32_t tag) {
      const auto place = std::ranges::lower_bound(by_tag, tag, {}, tag_of) - by_tag.begin();
      const auto begin = static_cast<std::size_t>(place);
      if (begin == sends.size()) return begin;
      std::size_t& at = next[begin];
      while (at < sends.size() && tag_of(by_tag[at]) == tag && taken[by_tag[at]]) ++at;
      return at < sends.size() && tag_of(by_tag[at]) == tag ? by_tag[at] : sends.size();
    };
    for (const End& receive : receives) {
      while (first < sends.size() && taken[first]) ++first;
      const std::size_t s = receive.tag == kAnyTag ? first : first_of(receive.tag);
      if (s == sends.size()) {
        no_send(receive);
        continue;
      }
      taken[s] = true;
      match(sends[s], receive);
    }
    for (std::size_t s = first; s < sends.size(); ++s) {
      if (!taken[s]) no_receive(sends[s]);
    }
  }

  static bool wildcard(const End& end) { return end.source == kAnySource; }

  /// Passes the ends of contexts in which a wildcard has several sources to the sink, and removes
  /// them.
  void leave_open(std::vector<End>& sends, std::vector<End>& receives) const {
    if (std::ranges::none_of(receives, wildcard)) return;
    const Senders senders(sends, receives);
    std::set<std::uint64_t> open;
    for (const End& receive : receives) {
      if (wildcard(receive) && senders.of(receive).size() > 1) open.insert(receive.context);
    }
    if (open.empty()) return;
    for (std::vector<End>* ends : {&sends, &receives}) {
      std::erase_if(*ends, [&](const End& end) {
        if (!open.contains(end.context)) return false;
        sink_.open(rank_, end, ends == &sends);
        return true;
      });
    }
  }

  /// Resolves wildcard sources. This is sound if only one sender is left: all messages that could
  /// match the wildcard, less those that receives naming their source must take, have one source.
  void resolve_wildcards(const std::vector<End>& sends, std::vector<End>& receives) const {
    if (std::ranges::none_of(receives, wildcard)) return;
    const Senders senders(sends, receives);
    for (End& receive : receives) {
      if (!wildcard(receive)) continue;
      const auto sources = senders.of(receive);
      if (sources.empty()) no_send(receive);
      if (sources.size() > 1) sink_.ambiguous(rank_, receive.id, sources.size());
      if (sources.size() == 1) receive.source = sources.front().source;
    }
    std::erase_if(receives, wildcard);  // wildcards that the sink accepted
  }

  void match(const End& send, const End& receive) const {
    sink_.match(static_cast<std::uint32_t>(send.source), send.id, rank_, receive.id);
  }
  void no_receive(const End& send) const {
    sink_.no_receive(static_cast<std::uint32_t>(send.source), send.id);
  }
  void no_send(const End& receive) const { sink_.no_send(rank_, receive.id); }

  const Sink& sink_;
  std::uint32_t rank_;
};

/// Lists of the postings of each rank, which are consumed.
class Lists {
 public:
  explicit Lists(std::vector<RankPostings>& of) : of_(of) {}

  std::size_t ranks() const { return of_.size(); }
  template <class Tell>
  void each_send(std::size_t rank, Tell tell) const {
    std::ranges::for_each(of_[rank].sends, tell);
  }
  template <class Tell>
  void each_receive(std::size_t rank, Tell tell) const {
    std::ranges::for_each(of_[rank].receives, tell);
  }
  void forget_sends(std::size_t rank) const { release(of_[rank].sends); }
  void forget_receives(std::size_t rank) const { release(of_[rank].receives); }

 private:
  std::vector<RankPostings>& of_;
};

}  // namespace matching

/// Matches sends with receives by up to `threads` threads. A wildcard source is resolved if exactly
/// one sender can match it. `posted` has
///   ranks()
///   each_send(rank, tell), each_receive(rank, tell)  call tell(Posting) in the rank's order
///   forget_sends(rank), forget_receives(rank)  they are not needed again
/// (a rank's receives are not read before its messages are matched),
/// and tells `sink`:
///   match(source, send, destination, receive)  the ends of one message
///   no_receive(source, send)                   no rank receives it
///   no_send(destination, receive)              no rank sends it
///   ambiguous(destination, receive, senders)   the senders that could match its wildcard; throws,
///                                              or leaves it without a send
///   expect(send, receive)                      (optional) two ends that it may soon match
///   leaves_open(), open(destination, end, sent)  (optional) whether it takes all ends of a context
///                                              in which a wildcard has several senders; an end
/// Different destinations' calls come from different threads at the same time.
template <class Posted, class Sink>
void match_posted(const Posted& posted, unsigned threads, const Sink& sink) {
  using matching::End;
  const std::size_t ranks = posted.ranks();
  std::vector<std::vector<End>> sends(ranks);
  std::vector<std::size_t> incoming(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    posted.each_send(rank,
                     [&](const Posting& send) { ++incoming[static_cast<std::size_t>(send.peer)]; });
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) sends[rank].reserve(incoming[rank]);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto source = static_cast<std::int32_t>(rank);
    posted.each_send(rank, [&](const Posting& send) {
      sends[static_cast<std::size_t>(send.peer)].push_back(
          {send.context, source, send.tag, send.id});
    });
    posted.forget_sends(rank);
  }
  parallel_for(ranks, threads, [&](std::size_t rank) {
    std::size_t count = 0;
    posted.each_receive(rank, [&](const Posting&) { ++count; });
    std::vector<End> receives;
    receives.reserve(count);
    posted.each_receive(rank, [&](const Posting& receive) {
      receives.push_back({receive.context, receive.peer, receive.tag, receive.id});
    });
    posted.forget_receives(rank);
    matching::RankMatcher<Sink>(sink, static_cast<std::uint32_t>(rank))
        .run(std::move(sends[rank]), std::move(receives));
  });
}

/// `postings[r]` belongs to rank r and is consumed.
template <class Sink>
void match_messages(std::vector<RankPostings>& postings, unsigned threads, const Sink& sink) {
  match_posted(matching::Lists(postings), threads, sink);
}

}  // namespace latitude::trace
