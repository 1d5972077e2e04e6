// The costs of calls that do not wait.
#include "core/trace/overheads.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/trace/event_args.hpp"

namespace latitude::trace {
namespace {

constexpr Travel kTravel{100, 0.5, 4096, 4096};

/// A program of two ranks, written call by call.
class TwoRanks {
 public:
  TwoRanks() {
    trace_.ranks.resize(2);
    trace_.communicators.push_back({{0, 1}});
    trace_.no_common_clock.clear();
  }

  Event& add(std::size_t rank, Call call, std::int64_t enter, std::int64_t took) {
    Event event;
    event.call = call;
    event.enter_ns = enter;
    event.leave_ns = enter + took;
    trace_.ranks[rank].events.push_back(event);
    return trace_.ranks[rank].events.back();
  }
  Event& message(std::size_t rank, Call call, std::int64_t enter, std::int64_t took,
                 std::uint64_t bytes = 1, std::int32_t peer = -5) {
    Event& event = add(rank, call, enter, took);
    set_message(event, {peer == -5 ? static_cast<std::int32_t>(1 - rank) : peer, 7, bytes});
    return event;
  }
  void complete(std::size_t rank, Call call, std::int64_t enter, std::int64_t took,
                const std::vector<std::uint32_t>& requests) {
    set_requests(trace_.ranks[rank], add(rank, call, enter, took), requests);
  }

  Overheads found(const Travel& travel = kTravel) const { return overheads(trace_, travel, 1); }
  Trace& trace() { return trace_; }

 private:
  Trace trace_;
};

const CallCosts* costs_of(const Overheads& found, Service service, Call call) {
  const auto cell = std::ranges::find_if(found.costs, [&](const CallCosts& each) {
    return each.service == service && each.call == call;
  });
  return cell == found.costs.end() ? nullptr : &*cell;
}

std::vector<double> ns_of(const Overheads& found, Service service, Call call) {
  const CallCosts* const cell = costs_of(found, service, call);
  return cell == nullptr ? std::vector<double>{} : cell->ns;
}

using Times = std::vector<double>;

TEST(Overheads, OfASendAndOfAReceiveWhoseMessageHasBeenThere) {
  // It has left at 30, and arrives 100 + 7 · 0.5 later.
  for (const std::int64_t begin : {133, 134, 500}) {
    TwoRanks program;
    program.message(0, Call::Send, 10, 20, 8);
    program.message(1, Call::Recv, begin, 40, 64);
    const Overheads found = program.found();
    EXPECT_EQ(ns_of(found, Service::send, Call::Send), Times{20});
    EXPECT_EQ(ns_of(found, Service::receive, Call::Recv), begin < 134 ? Times{} : Times{40});
    EXPECT_EQ(found.waited, begin < 134 ? 1U : 0U);
    const CallCosts& receives = *costs_of(found, Service::receive, Call::Recv);
    EXPECT_EQ(receives.ends, 1U);
    EXPECT_EQ(receives.log2, 3U) << "of the message, not of the room for it";
  }
}

TEST(Overheads, ClocksThatMayBeOffMakeAMessageLater) {
  for (const std::int64_t error : {0, 5, 6}) {
    TwoRanks program;
    program.message(0, Call::Send, 10, 20);
    program.message(1, Call::Recv, 1140, 40);
    program.trace().ranks[1].common = {0, -1000, 0, error};
    program.trace().ranks[0].common.error_ns = 5;
    EXPECT_EQ(program.found().waited, error > 5 ? 1U : 0U) << error;
  }
}

TEST(Overheads, WithoutACommonClockTheFastestMessageBoundsIt) {
  // Rank 1's clock is 1,000,000 ahead. The first message seems to travel for 1,000,110 − 10, which
  // is the lead of the clock and more. Relative to that, the second message arrived long ago.
  for (const std::int64_t later : {99, 100}) {
    TwoRanks program;
    program.trace().no_common_clock = "each has its own";
    program.message(0, Call::Send, 10, 20);
    program.message(0, Call::Send, 500, 20);
    program.message(1, Call::Recv, 1'000'050, 60);
    program.message(1, Call::Recv, 1'000'520 + 100 + later, 40);
    const Overheads found = program.found();
    EXPECT_FALSE(found.one_clock);
    EXPECT_EQ(ns_of(found, Service::receive, Call::Recv), later < 100 ? Times{} : Times{40});
  }
}

TEST(Overheads, AWaitThatCompletesSeveralIsSharedByTheReceives) {
  TwoRanks program;
  program.message(0, Call::Send, 10, 20, 16);
  program.message(0, Call::Send, 30, 20, 48);
  program.message(1, Call::Irecv, 5, 3, 64);
  program.message(1, Call::Irecv, 8, 5, 64);
  program.message(1, Call::Isend, 20, 11, 8);
  program.complete(1, Call::Waitall, 1000, 90, {0, 1, 2});
  program.message(0, Call::Recv, 2000, 33, 8);
  const Overheads found = program.found();
  EXPECT_EQ(ns_of(found, Service::complete, Call::Waitall), Times{45});
  EXPECT_EQ(costs_of(found, Service::complete, Call::Waitall)->share,
            std::vector<std::uint32_t>{2});
  EXPECT_EQ(costs_of(found, Service::complete, Call::Waitall)->bytes, Times{32});
  EXPECT_EQ(ns_of(found, Service::post, Call::Irecv),
            Times{3});  // 16 bytes; the post of 48 bytes takes 5
  EXPECT_EQ(ns_of(found, Service::send, Call::Isend), Times{11});
}

TEST(Overheads, AWaitForSendsAloneIsTheirs) {
  TwoRanks program;
  program.message(0, Call::Isend, 10, 20);
  program.message(0, Call::Isend, 30, 20);
  program.complete(0, Call::Waitall, 50, 14, {0, 1});
  program.message(1, Call::Recv, 1000, 20);
  program.message(1, Call::Recv, 1020, 20);
  EXPECT_EQ(ns_of(program.found(), Service::complete_send, Call::Waitall), Times{7});
}

TEST(Overheads, OneLateMessageMakesAWaitAll) {
  TwoRanks program;
  program.message(0, Call::Send, 10, 20);
  program.message(0, Call::Send, 950, 20);
  program.message(1, Call::Irecv, 5, 3);
  program.message(1, Call::Irecv, 8, 3);
  program.complete(1, Call::Waitall, 1000, 90, {0, 1});
  const Overheads found = program.found();
  EXPECT_EQ(ns_of(found, Service::complete, Call::Waitall), Times{});
  EXPECT_EQ(found.waited, 2U);
}

TEST(Overheads, ASendrecvIsHalfASendAndHalfAReceive) {
  TwoRanks program;
  for (const std::size_t rank : {0U, 1U}) {
    Event& event = program.message(rank, Call::Sendrecv, rank == 0 ? 10 : 1000, 60, 8);
    set_received(program.trace().ranks[rank], event, {static_cast<std::int32_t>(1 - rank), 7, 8});
  }
  EXPECT_EQ(ns_of(program.found(), Service::exchange, Call::Sendrecv), Times{30});
}

TEST(Overheads, RendezvousAndSynchronousOnesWaitForTheirReceiver) {
  for (const auto& [call, bytes] :
       {std::pair(Call::Send, std::uint64_t{4096}), std::pair(Call::Send, std::uint64_t{4097}),
        std::pair(Call::Ssend, std::uint64_t{1})}) {
    TwoRanks program;
    program.message(0, call, 10, 20, bytes);
    program.message(1, Call::Recv, 100'000, 40, 8192);
    const Overheads found = program.found();
    const bool eager = bytes == 4096;
    EXPECT_EQ(found.rendezvous, eager ? 0U : 2U);
    EXPECT_EQ(found.costs.size(), eager ? 2U : 0U);
  }
}

TEST(Overheads, SendsThatReturnAfterTheirReceiveIsPostedWait) {
  // Receives are posted 1,000 after the send begins: sends of 64 bytes are over by then.
  for (const std::int64_t took : {20, 1100}) {
    TwoRanks program;
    std::int64_t at = 0;
    for (int i = 0; i < 12; ++i) {
      for (const std::uint64_t bytes : {64, 512}) {
        program.message(0, Call::Send, at, bytes == 64 ? 20 : took, bytes);
        program.message(1, Call::Recv, at + 1000, 40, bytes);
        at += 10'000;
      }
    }
    const Overheads found = program.found();
    const bool waits = took > 1000;
    EXPECT_EQ(found.eager_blocking, waits ? 256U : 4096U);
    EXPECT_EQ(found.eager_nonblocking, found.eager_blocking) << "nothing else is known";
    EXPECT_EQ(found.rendezvous, waits ? 24U : 0U);
    EXPECT_EQ(ns_of(found, Service::send, Call::Send), Times(12, 20));
  }
}

TEST(Overheads, OfARankToItselfNothingIsTold) {
  TwoRanks program;
  program.message(0, Call::Irecv, 5, 3, 8, 0);
  program.message(0, Call::Send, 10, 20, 8, 0);
  program.complete(0, Call::Wait, 5000, 9, {0});
  const Overheads found = program.found();
  EXPECT_TRUE(found.costs.empty());
  EXPECT_EQ(found.to_itself, 3U);
}

TEST(Overheads, MessagesToNobodyAreNone) {
  TwoRanks program;
  program.message(0, Call::Send, 10, 20, 8, kProcNull);
  program.message(0, Call::Recv, 50, 20, 8, kProcNull);
  EXPECT_TRUE(program.found().costs.empty());
}

TEST(Overheads, WhatNobodySentAndWhatCompletesOthersTellsNothing) {
  TwoRanks program;
  program.message(0, Call::Recv, 5, 3);
  program.message(0, Call::Isend, 10, 20);
  program.add(0, Call::Ibarrier, 30, 5);
  program.complete(0, Call::Waitall, 40, 7, {1, 2});
  const Overheads found = program.found();
  EXPECT_EQ(found.unknown, 2U);
  EXPECT_EQ(found.costs.size(), 1U);
  EXPECT_EQ(ns_of(found, Service::send, Call::Isend), Times{20});
}

TEST(Overheads, StartsOfPersistentOnesArePosts) {
  TwoRanks program;
  program.message(0, Call::Send_init, 0, 1);
  program.message(0, Call::Recv_init, 1, 1);
  program.complete(0, Call::Startall, 10, 30, {0, 1});
  program.message(1, Call::Send, 20, 9);
  program.complete(0, Call::Waitall, 5000, 12, {0, 1});
  program.message(1, Call::Recv, 6000, 8);
  const Overheads found = program.found();
  EXPECT_EQ(ns_of(found, Service::send, Call::Startall), Times{15});
  EXPECT_EQ(ns_of(found, Service::post, Call::Startall), Times{15});
  EXPECT_EQ(ns_of(found, Service::complete, Call::Waitall), Times{12});
}

TEST(Overheads, TheTracersPartIsNotTheCalls) {
  TwoRanks program;
  program.message(0, Call::Send, 10, 20);
  program.message(0, Call::Send, 50, 4);
  program.message(1, Call::Recv, 1000, 40);
  program.message(1, Call::Recv, 2000, 40);
  program.trace().ranks[0].call_cost_ns = 6;
  EXPECT_EQ(ns_of(program.found(), Service::send, Call::Send), (Times{0, 14}));
}

TEST(Overheads, OfVeryManyCallsSomeAreKeptWhateverTheThreads) {
  constexpr int kCalls = 100'000;
  TwoRanks program;
  for (int i = 0; i < kCalls; ++i) {
    program.message(0, Call::Send, 100 * i, i % 50);
    program.message(1, Call::Recv, 1'000'000'000 + 100 * i, 9);
  }
  const Overheads one = overheads(program.trace(), kTravel, 1);
  const Overheads two = overheads(program.trace(), kTravel, 2);
  const CallCosts& sends = *costs_of(one, Service::send, Call::Send);
  EXPECT_EQ(sends.calls, kCalls);
  EXPECT_EQ(sends.ns.size(), 16384U);
  EXPECT_EQ(sends.ns, costs_of(two, Service::send, Call::Send)->ns);
  EXPECT_NEAR(sends.ns[sends.ns.size() / 2], 25, 1);
  EXPECT_EQ(*std::ranges::max_element(sends.block), 15U);
}

}  // namespace
}  // namespace latitude::trace
