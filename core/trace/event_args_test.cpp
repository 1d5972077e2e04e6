// A view shows the values that were set through it, for every layout of values.
#include "core/trace/event_args.hpp"

#include <gtest/gtest.h>

namespace latitude::trace {
namespace {

using Values = std::vector<std::int64_t>;

Values all(std::span<const std::int64_t> values) { return {values.begin(), values.end()}; }

template <class Range>
std::vector<std::uint32_t> ids(Range&& range) {
  return {range.begin(), range.end()};
}

void expect_same(const Message& a, const Message& b) {
  EXPECT_EQ(a.peer, b.peer);
  EXPECT_EQ(a.tag, b.tag);
  EXPECT_EQ(a.bytes, b.bytes);
}

TEST(EventArgs, MessagesOfBothHalves) {
  RankTrace rank;
  rank.args = {9, 9};  // values of another event
  Event e{.call = Call::Sendrecv};
  set_message(e, {1, 2, 3});
  set_received(rank, e, {kAnySource, kAnyTag, 40});
  expect_same(message_of(e), {1, 2, 3});
  expect_same(received_by(rank, e), {kAnySource, kAnyTag, 40});
  const std::size_t held = rank.args.size();
  set_received(rank, e, {4, 5, 6});
  expect_same(received_by(rank, e), {4, 5, 6});
  EXPECT_EQ(rank.args.size(), held);
}

TEST(EventArgs, RequestsMayBeNone) {
  RankTrace rank;
  Event e{.call = Call::Waitall};
  EXPECT_TRUE(requests_of(rank, e).empty());
  const std::vector<std::uint32_t> three{4, 0, 7};
  set_requests(rank, e, three);
  EXPECT_EQ(ids(requests_of(rank, e)), three);
  request_values(rank, e)[1] = 8;
  EXPECT_EQ(rank.args[request_values_at(e) + 1], 8);
  set_requests(rank, e, {});
  EXPECT_TRUE(requests_of(rank, e).empty());
}

TEST(EventArgs, AStartHasTheMessagesOfItsOperationsUntilTheyAreResolved) {
  RankTrace rank;
  rank.events = {{.bytes = 8, .peer = kAnySource, .tag = kAnyTag, .call = Call::Recv_init},
                 {.bytes = 16, .peer = 2, .tag = 3, .call = Call::Send_init},
                 {.call = Call::Startall}};
  Event& start = rank.events[2];
  set_requests(rank, start, std::vector<std::uint32_t>{0, 1});
  expect_same(started(rank, start, 0).message, {kAnySource, kAnyTag, 8});
  resolve_started(rank, start, 0, 5, 6);
  EXPECT_NE(start.flags & kResolved, 0);
  expect_same(started(rank, start, 0).message, {5, 6, 8});
  expect_same(started(rank, start, 1).message, {2, 3, 16});
  EXPECT_EQ(started(rank, start, 1).id, 1U);
  resolve_started(rank, start, 1, kProcNull, 3);
  expect_same(started(rank, start, 0).message, {5, 6, 8});
  expect_same(started(rank, start, 1).message, {kProcNull, 3, 16});
  expect_same(message_of(rank.events[0]), {kAnySource, kAnyTag, 8});
}

TEST(EventArgs, ListsOfEveryLayout) {
  RankTrace rank;
  Event e{.call = Call::Ialltoallv};
  set_root(e, 1);
  set_lists(rank, e, Values{1, 2}, Values{3, 4});
  const CollectiveArgs both = collective_of(rank, e);
  EXPECT_EQ(both.root, 1);
  EXPECT_EQ(both.element, 1U);
  EXPECT_EQ(all(both.lists.to_each), (Values{1, 2}));
  EXPECT_EQ(all(both.lists.from_each), (Values{3, 4}));
  Event gather{.call = Call::Gatherv};
  EXPECT_TRUE(collective_of(rank, gather).lists.from_each.empty());
  set_lists(rank, gather, Values{7});
  EXPECT_EQ(all(collective_of(rank, gather).lists.from_each), (Values{7}));
  EXPECT_TRUE(collective_of(rank, gather).lists.to_each.empty());
  Event scatter{.call = Call::Scatterv};
  set_lists(rank, scatter, Values{8, 9});
  EXPECT_EQ(all(collective_of(rank, scatter).lists.to_each), (Values{8, 9}));
  EXPECT_TRUE(lists_at_root(Call::Iscatterv));
  EXPECT_FALSE(lists_at_root(Call::Allgatherv));
  EXPECT_FALSE(lists_at_root(Call::Bcast));
}

TEST(EventArgs, NeighboursStandBeforeTheirBytes) {
  const Values values{1, 2, 10, 20, 21, 5, 6, 7, 99};
  const auto lists = lists_in(list_layout(Call::Neighbor_alltoallw), values);
  ASSERT_TRUE(lists);
  EXPECT_EQ(all(lists->destinations), (Values{10}));
  EXPECT_EQ(all(lists->sources), (Values{20, 21}));
  EXPECT_EQ(all(lists->to_each), (Values{5}));
  EXPECT_EQ(all(lists->from_each), (Values{6, 7}));
  EXPECT_EQ(lists->values, 8U);
  EXPECT_EQ(lists_in(list_layout(Call::Ineighbor_allgather), values)->values, 5U);
}

TEST(EventArgs, ListsThatReachTooFarAreNone) {
  for (const Values& values : {Values{}, Values{-1}, Values{2, 1}, Values{INT64_MAX, 1}}) {
    EXPECT_FALSE(lists_in(ListLayout::to_each, values));
    EXPECT_FALSE(lists_in(ListLayout::both, values));
    EXPECT_FALSE(lists_in(ListLayout::neighbours, values));
  }
  EXPECT_FALSE(lists_in(ListLayout::both, Values{1, 2}));
  EXPECT_FALSE(lists_in(ListLayout::neighbours_and_bytes, Values{1, 0, 3}));
  EXPECT_EQ(lists_in(ListLayout::none, Values{1, 2})->values, 0U);
}

TEST(EventArgs, ElementsHaveOneByteAtLeast) {
  Event e{.call = Call::Allreduce};
  EXPECT_EQ(element_of(e), 1U);
  set_element(e, 8);
  EXPECT_EQ(element_of(e), 8U);
  EXPECT_FALSE(collective_of({}, e).user_op);
}

TEST(EventArgs, ElementsMayHaveMoreBytesThanFitIntoTheEvent) {
  constexpr std::uint64_t kElement = std::uint64_t{1} << 44;
  Event e{.bytes = 4095 * kElement, .call = Call::Allreduce};
  set_element(e, kElement);
  EXPECT_EQ(element_of(e), kElement);
  e.bytes = 0;
  set_element(e, kElement);
  EXPECT_EQ(element_of(e), 1U);
  e.bytes = std::uint64_t{1} << 62;
  set_element(e, std::uint64_t{1} << 31);
  EXPECT_EQ(element_of(e), std::uint64_t{1} << 31);
}

TEST(EventArgs, CommunicatorsMade) {
  RankTrace rank;
  Event e{.call = Call::Comm_split};
  EXPECT_EQ(communicator_made(rank, e), std::nullopt);
  set_communicator_made(rank, e, 3);
  EXPECT_EQ(communicator_made(rank, e), 3);
  set_communicator_made(rank, e, kCommNull);
  EXPECT_EQ(communicator_made(rank, e), kCommNull);
  EXPECT_EQ(rank.args.size(), 1U);
}

}  // namespace
}  // namespace latitude::trace
