#include "core/graph/matching.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "core/parallel.hpp"

namespace latitude::graph {
namespace {

using trace::kAnySource;
using trace::kAnyTag;

/// A message end within one (context, source, destination) channel, in order.
struct End {
  std::uint64_t context;
  std::int32_t source;
  std::uint32_t order;
  std::int32_t tag;
  VertexId vertex;
};

constexpr const char* kNoSend =
    "has no matching send; the input is incomplete or does not belong to one run";
constexpr const char* kNoReceive =
    "has no matching receive; the input is incomplete or does not belong to one run";

auto channel_of(const End& end) { return std::tuple(end.source, end.context); }

void sort_by_channel(std::vector<End>& ends) {
  const auto key = [](const End& end) { return std::tuple(end.source, end.context, end.order); };
  if (!std::ranges::is_sorted(ends, {}, key)) std::ranges::sort(ends, {}, key);
}

class RankMatcher {
 public:
  RankMatcher(Graph& graph, Describe describe, const void* user, bool check_sizes)
      : graph_(graph), describe_(describe), user_(user), check_sizes_(check_sizes) {}

  void run(std::vector<End> sends, std::vector<End> receives) {
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
  /// Receives in posting order each take the first message left, in sending order, whose tag fits.
  void match_channel(std::span<End> sends, std::span<End> receives) {
    const auto any_tag = [](const End& end) { return end.tag == kAnyTag; };
    if (std::ranges::any_of(receives, any_tag)) {
      match_in_turn(sends, receives);
      return;
    }
    // Without wildcards each tag is a queue of its own.
    if (!std::ranges::equal(sends, receives, {}, &End::tag, &End::tag)) {
      std::ranges::stable_sort(sends, {}, &End::tag);
      std::ranges::stable_sort(receives, {}, &End::tag);
    }
    const std::size_t common = std::min(sends.size(), receives.size());
    for (std::size_t i = 0; i < common; ++i) {
      if (sends[i].tag < receives[i].tag) refuse(sends[i].vertex, kNoReceive);
      if (sends[i].tag > receives[i].tag) refuse(receives[i].vertex, kNoSend);
      match(sends[i], receives[i]);
    }
    if (common < sends.size()) refuse(sends[common].vertex, kNoReceive);
    if (common < receives.size()) refuse(receives[common].vertex, kNoSend);
  }

  void match_in_turn(std::span<const End> sends, std::span<const End> receives) {
    std::vector<bool> taken(sends.size());
    std::size_t first = 0;  // everything before it is taken
    for (const End& receive : receives) {
      while (first < sends.size() && taken[first]) ++first;
      std::size_t s = first;
      while (s < sends.size() &&
             (taken[s] || (receive.tag != kAnyTag && receive.tag != sends[s].tag))) {
        ++s;
      }
      if (s == sends.size()) refuse(receive.vertex, kNoSend);
      taken[s] = true;
      match(sends[s], receive);
    }
    while (first < sends.size() && taken[first]) ++first;
    if (first < sends.size()) refuse(sends[first].vertex, kNoReceive);
  }

  void match(const End& send, const End& receive) {
    Vertex& from = graph_.vertices[send.vertex];
    Vertex& to = graph_.vertices[receive.vertex];
    from.partner = receive.vertex;
    to.partner = send.vertex;
    if (check_sizes_ && from.value > to.value) {
      refuse(receive.vertex, "takes " + std::to_string(to.value) + " B at most, its message has " +
                                 std::to_string(from.value) +
                                 " B; the input does not belong to one run, or is damaged");
    }
    to.value = from.value;
    to.synchronous = from.synchronous;
    if (to.tag == kAnyTag) to.tag = from.tag;
  }

  /// A wildcard source is sound to resolve where only one sender is left for it: all messages that
  /// could match it, less those that receives naming their source must take, have one source.
  void resolve_wildcards(const std::vector<End>& sends, std::vector<End>& receives) const {
    const auto wildcard = [](const End& end) { return end.source == kAnySource; };
    if (std::ranges::none_of(receives, wildcard)) return;
    std::map<std::pair<std::uint64_t, std::int32_t>, std::map<std::int32_t, std::int64_t>> left;
    for (const End& send : sends) ++left[{send.context, send.tag}][send.source];
    for (const End& receive : receives) {
      if (!wildcard(receive) && receive.tag != kAnyTag) {
        --left[{receive.context, receive.tag}][receive.source];
      }
    }
    for (End& receive : receives) {
      if (!wildcard(receive)) continue;
      std::set<std::int32_t> sources;
      for (const auto& [key, by_source] : left) {
        if (key.first != receive.context) continue;
        if (receive.tag != kAnyTag && key.second != receive.tag) continue;
        for (const auto& [source, count] : by_source) {
          if (count > 0) sources.insert(source);
        }
      }
      if (sources.empty()) refuse(receive.vertex, kNoSend);
      if (sources.size() > 1) {
        refuse(receive.vertex,
               "takes a message from any source, and the input does not say which of " +
                   std::to_string(sources.size()) +
                   " senders it came from; latitude trace records it");
      }
      receive.source = *sources.begin();
    }
  }

  [[noreturn]] void refuse(VertexId vertex, const std::string& why) const {
    throw InputError(describe_(user_, vertex) + " " + why);
  }

  Graph& graph_;
  Describe describe_;
  const void* user_;
  bool check_sizes_;
};

}  // namespace

void match_messages(Graph& graph, std::vector<RankPostings>& postings, unsigned threads,
                    Describe describe, const void* user, bool check_sizes) {
  const std::size_t ranks = postings.size();
  std::vector<std::vector<End>> sends(ranks);
  std::vector<std::size_t> incoming(ranks);
  for (const RankPostings& rank : postings) {
    for (const Posting& send : rank.sends) ++incoming[static_cast<std::size_t>(send.peer)];
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) sends[rank].reserve(incoming[rank]);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::uint32_t order = 0;
    for (const Posting& send : postings[rank].sends) {
      sends[static_cast<std::size_t>(send.peer)].push_back(
          {send.context, static_cast<std::int32_t>(rank), order++, send.tag, send.vertex});
    }
    postings[rank].sends = {};
  }
  parallel_for(ranks, threads, [&](std::size_t rank) {
    std::vector<End> receives;
    receives.reserve(postings[rank].receives.size());
    std::uint32_t order = 0;
    for (const Posting& receive : postings[rank].receives) {
      receives.push_back({receive.context, receive.peer, order++, receive.tag, receive.vertex});
    }
    postings[rank].receives = {};
    RankMatcher(graph, describe, user, check_sizes)
        .run(std::move(sends[rank]), std::move(receives));
  });
}

}  // namespace latitude::graph
