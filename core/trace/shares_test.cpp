// Counts and lists from members' sums of a collective.
#include "core/trace/shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/trace/event_args.hpp"

namespace latitude::trace {
namespace {

struct Sums {
  std::uint64_t gives;
  std::uint64_t gets;
};

/// One call on all ranks of a world; the root's record names it as root.
Trace put(Call call, const std::vector<Sums>& sums, std::size_t root = 0) {
  Trace trace;
  trace.communicators.push_back({Members::all(sums.size())});
  std::vector<std::vector<Share>> shares;
  for (std::size_t rank = 0; rank < sums.size(); ++rank) {
    trace.ranks.emplace_back().events.push_back({.position = 1, .call = call});
    shares.push_back({{0, rank == root, sums[rank].gives, sums[rank].gets}});
  }
  put_shares_together(trace, shares);
  return trace;
}

std::vector<std::uint64_t> bytes_of(const Trace& trace) {
  std::vector<std::uint64_t> bytes;
  for (const RankTrace& rank : trace.ranks) bytes.push_back(rank.events[0].bytes);
  return bytes;
}

CollectiveArgs args_of(const Trace& trace, std::size_t rank) {
  return collective_of(trace.ranks[rank], trace.ranks[rank].events[0]);
}

std::vector<std::int64_t> list(std::span<const std::int64_t> values) {
  return {values.begin(), values.end()};
}

using Bytes = std::vector<std::uint64_t>;
using List = std::vector<std::int64_t>;

TEST(Shares, WholeVectorsAndBlocksAreTheSameEverywhere) {
  EXPECT_EQ(bytes_of(put(Call::Bcast, {{0, 400}, {400, 0}, {0, 400}}, 1)), (Bytes{400, 400, 400}));
  EXPECT_EQ(bytes_of(put(Call::Reduce, {{8, 8}, {8, 0}})), (Bytes{8, 8}));
  EXPECT_EQ(bytes_of(put(Call::Gather, {{0, 300}, {100, 0}, {100, 0}})), (Bytes{100, 100, 100}));
  EXPECT_EQ(bytes_of(put(Call::Scatter, {{300, 0}, {0, 100}, {0, 100}})), (Bytes{100, 100, 100}));
  EXPECT_EQ(bytes_of(put(Call::Gather, {{100, 100}})), (Bytes{100}));
  EXPECT_EQ(bytes_of(put(Call::Allgather, {{5, 10}, {5, 10}})), (Bytes{5, 5}));
  EXPECT_EQ(bytes_of(put(Call::Reduce_scatter_block, {{20, 10}, {20, 10}})), (Bytes{10, 10}));
  EXPECT_EQ(root_of(put(Call::Bcast, {{0, 4}, {4, 0}}, 1).ranks[0].events[0]), 1);
}

TEST(Shares, ListsAreWhatTheOthersSay) {
  const Trace gathered = put(Call::Gatherv, {{1, 6}, {2, 0}, {3, 0}});
  EXPECT_EQ(list(args_of(gathered, 0).lists.from_each), (List{1, 2, 3}));
  EXPECT_TRUE(args_of(gathered, 1).lists.from_each.empty());
  EXPECT_EQ(bytes_of(gathered), (Bytes{1, 2, 3}));
  const Trace scattered = put(Call::Scatterv, {{0, 4}, {11, 7}}, 1);
  EXPECT_EQ(list(args_of(scattered, 1).lists.to_each), (List{4, 7}));
  const Trace everywhere = put(Call::Allgatherv, {{1, 3}, {2, 3}});
  EXPECT_EQ(list(args_of(everywhere, 1).lists.from_each), (List{1, 2}));
  const Trace reduced = put(Call::Reduce_scatter, {{9, 4}, {9, 5}});
  EXPECT_EQ(list(args_of(reduced, 0).lists.from_each), (List{4, 5}));
}

TEST(Shares, AnExchangeIsInProportion) {
  const Trace trace = put(Call::Alltoallv, {{30, 40}, {70, 60}});
  EXPECT_EQ(list(args_of(trace, 0).lists.to_each), (List{12, 18}));
  EXPECT_EQ(list(args_of(trace, 1).lists.from_each), (List{18, 42}));
  EXPECT_EQ(list(args_of(trace, 0).lists.from_each), (List{12, 28}));
  EXPECT_EQ(bytes_of(trace), (Bytes{30, 70}));
  EXPECT_EQ(list(args_of(put(Call::Alltoallv, {{0, 0}, {0, 0}}), 0).lists.to_each), (List{0, 0}));
}

TEST(Shares, ACallOfOtherKindOnAMemberIsLeftToTheGraph) {
  Trace trace;
  trace.communicators.push_back({{0, 1}});
  trace.ranks.resize(2);
  trace.ranks[0].events.push_back({.position = 1, .call = Call::Allreduce});
  trace.ranks[1].events.push_back({.position = 1, .call = Call::Barrier});
  put_shares_together(trace, {{{0, false, 8, 8}}, {{0, false, 0, 0}}});
  EXPECT_EQ(trace.ranks[0].events[0].bytes, 0U);
}

TEST(Shares, ARootMustBeNamed) { EXPECT_THROW(put(Call::Bcast, {{0, 4}, {4, 0}}, 7), InputError); }

}  // namespace
}  // namespace latitude::trace
