// The receive of each message, against the rule as MPI states it; and the time that matching takes.
#include "core/trace/matching.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>

#include "core/growth_for_tests.hpp"

namespace latitude::trace {
namespace {

/// Stores the calls that it gets, in an order of its own.
struct Notes {
  void match(std::uint32_t source, std::uint32_t send, std::uint32_t, std::uint32_t receive) const {
    told->insert({"match", source, send, receive});
  }
  void no_receive(std::uint32_t source, std::uint32_t send) const {
    told->insert({"no receive", source, send, 0});
  }
  void no_send(std::uint32_t rank, std::uint32_t receive) const {
    told->insert({"no send", rank, receive, 0});
  }
  void ambiguous(std::uint32_t rank, std::uint32_t receive, std::size_t senders) const {
    told->insert({"ambiguous", rank, receive, senders});
  }

  using Told = std::multiset<std::tuple<std::string, std::uint32_t, std::uint32_t, std::size_t>>;
  Told* told;
};

/// The messages to rank 0, and its receives.
struct Program {
  std::vector<RankPostings> ranks;

  Notes::Told matched() const {
    std::vector<RankPostings> postings = ranks;
    Notes::Told told;
    match_messages(postings, 1, Notes{&told});
    return told;
  }

  /// The expected calls by the text of the rule: each receive examines every message.
  Notes::Told by_the_rule() const {
    Notes::Told told;
    const Notes notes{&told};
    std::vector<Posting> receives = ranks[0].receives;
    const auto count = [](const std::vector<Posting>& of, const Posting& key, std::int32_t peer) {
      return std::ranges::count_if(of, [&](const Posting& each) {
        return each.context == key.context && each.tag == key.tag && each.peer == peer;
      });
    };
    for (Posting& receive : receives) {
      if (receive.peer != kAnySource) continue;
      std::set<std::int32_t> senders;
      for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        for (const Posting& send : ranks[rank].sends) {
          if (send.context != receive.context) continue;
          if (receive.tag != kAnyTag && receive.tag != send.tag) continue;
          const auto source = static_cast<std::int32_t>(rank);
          if (count(ranks[rank].sends, send, 0) > count(ranks[0].receives, send, source)) {
            senders.insert(source);
          }
        }
      }
      if (senders.empty()) notes.no_send(0, receive.id);
      if (senders.size() > 1) notes.ambiguous(0, receive.id, senders.size());
      receive.peer = senders.size() == 1 ? *senders.begin() : kProcNull;
    }
    std::vector<std::vector<bool>> taken;
    for (const RankPostings& rank : ranks) taken.emplace_back(rank.sends.size());
    for (const Posting& receive : receives) {
      if (receive.peer == kProcNull) continue;
      const auto source = static_cast<std::size_t>(receive.peer);
      const std::vector<Posting>& sends = ranks[source].sends;
      std::size_t s = 0;
      while (s < sends.size() && (taken[source][s] || sends[s].context != receive.context ||
                                  (receive.tag != kAnyTag && receive.tag != sends[s].tag))) {
        ++s;
      }
      if (s == sends.size()) {
        notes.no_send(0, receive.id);
      } else {
        taken[source][s] = true;
        notes.match(static_cast<std::uint32_t>(source), sends[s].id, 0, receive.id);
      }
    }
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
      for (std::size_t s = 0; s < taken[rank].size(); ++s) {
        if (!taken[rank][s]) notes.no_receive(rank, ranks[rank].sends[s].id);
      }
    }
    return told;
  }
};

Program random_program(std::mt19937& random) {
  const auto up_to = [&](std::uint32_t most) { return static_cast<std::int32_t>(random() % most); };
  Program program{std::vector<RankPostings>(3)};
  const auto tags = static_cast<std::uint32_t>(1 + random() % 3);
  const std::uint32_t contexts = random() % 2 == 0 ? 1 : 2;
  const auto wildcards = static_cast<std::uint32_t>(random() % 5);
  const auto count = static_cast<std::uint32_t>(random() % 16);
  for (std::uint32_t id = 0; id < count; ++id) {
    const auto context = static_cast<std::uint64_t>(random() % contexts);
    program.ranks[random() % 3].sends.push_back({context, 0, up_to(tags), id});
  }
  for (std::uint32_t id = 0; id < count; ++id) {
    const auto context = static_cast<std::uint64_t>(random() % contexts);
    const std::int32_t peer = random() % 8 < wildcards ? kAnySource : up_to(3);
    const std::int32_t tag = random() % 8 < wildcards ? kAnyTag : up_to(tags);
    program.ranks[0].receives.push_back({context, peer, tag, id});
  }
  return program;
}

TEST(Matching, IsByTheRule) {
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const Program program = random_program(random);
    ASSERT_EQ(program.matched(), program.by_the_rule()) << "program " << i;
  }
}

struct Nothing {
  void match(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) const {}
  void no_receive(std::uint32_t, std::uint32_t) const { throw std::logic_error("left over"); }
  void no_send(std::uint32_t, std::uint32_t) const { throw std::logic_error("left over"); }
  void ambiguous(std::uint32_t, std::uint32_t, std::size_t) const {
    throw std::logic_error("ambiguous");
  }
};

/// Equally many messages, each with another tag, received in the reverse order of sending.
void match_many(int count, std::int32_t source, bool one_of_any_tag) {
  std::vector<RankPostings> ranks(2);
  for (std::int32_t i = 0; i < count; ++i) {
    const auto id = static_cast<std::uint32_t>(i);
    ranks[1].sends.push_back({0, 0, i, id});
    ranks[0].receives.push_back({0, source, count - 1 - i, id});
  }
  if (one_of_any_tag) ranks[0].receives.back().tag = kAnyTag;
  match_messages(ranks, 1, Nothing{});
}

TEST(Matching, TakesTimeInProportion) {
  EXPECT_LT(growth(8'000, [](int n) { match_many(n, kAnySource, false); }), kMostGrowth);
  EXPECT_LT(growth(8'000, [](int n) { match_many(n, 1, true); }), kMostGrowth);
  EXPECT_LT(growth(8'000, [](int n) { match_many(n, kAnySource, true); }), kMostGrowth);
}

}  // namespace
}  // namespace latitude::trace
