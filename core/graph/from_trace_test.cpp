// The vertices of each MPI call (docs/explanation/semantics.md), from events written by hand.
#include "core/graph/from_trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/chains_for_tests.hpp"
#include "core/graph/trace_writer_for_tests.hpp"
#include "core/solve/critical_path.hpp"
#include "core/trace/polls.hpp"

namespace latitude::graph {
namespace {

using trace::Call;
using trace::Event;
using trace::Trace;

constexpr model::LogGPS kNetwork{.L = 1000, .o = 10, .S = 1 << 20};

/// {source, destination, bytes} of every message, in sender order.
std::vector<std::vector<std::int64_t>> messages_of(const Graph& graph) {
  std::vector<std::vector<std::int64_t>> result;
  for (const Vertex& v : graph.vertices) {
    if (v.kind != Kind::send) continue;
    const VertexId send = graph.vertices[v.partner].partner;
    EXPECT_EQ(&graph.vertices[send], &v);
    result.push_back({graph.rank_of(send), graph.rank_of(v.partner), v.value});
  }
  return result;
}

TEST(FromTrace, GapsBetweenCallsAreComputation) {
  TraceWriter trace(2);
  trace.message(0, Call::Send, 1);
  trace.message(1, Call::Recv, 0);
  const Graph graph = trace.build();
  EXPECT_EQ(kinds_of(graph, 0), "csc");
  EXPECT_EQ(kinds_of(graph, 1), "crc");
  EXPECT_EQ(graph.vertices[0].value, 99);
  EXPECT_TRUE(graph.vertices[1].blocking);
  EXPECT_EQ(solve::critical_path(graph, kNetwork).T_ns, 99 + 10 + 1000 + 10 + 99);
}

TEST(FromTrace, NonBlockingReceiveEndsInTheCallThatCompletesIt) {
  TraceWriter trace(2);
  const auto request = trace.message(1, Call::Irecv, 0);
  trace.message(1, Call::Send, 0);
  trace.add(1, {.call = Call::Wait}, {1, request});
  trace.message(0, Call::Recv, 1);
  trace.message(0, Call::Send, 1);
  const Graph graph = trace.build();
  EXPECT_EQ(kinds_of(graph, 1), "ccscrc");
}

TEST(FromTrace, NonBlockingSendIsJoinedByItsWait) {
  TraceWriter trace(2);
  const auto a = trace.message(0, Call::Isend, 1);
  const auto b = trace.message(0, Call::Issend, 1, 0);
  trace.add(0, {.call = Call::Waitall}, {2, a, b});
  trace.message(1, Call::Recv, 0);
  trace.message(1, Call::Recv, 0);
  const Graph graph = trace.build();
  EXPECT_EQ(kinds_of(graph, 0), "cscsccc");
  EXPECT_EQ(graph.deps_of(5).size(), 2U);
  for (const Dep& dep : graph.deps_of(5)) EXPECT_EQ(dep.kind, DepKind::requires_end);
  EXPECT_TRUE(graph.vertices[3].synchronous);
  EXPECT_TRUE(graph.vertices[graph.vertices[3].partner].synchronous);
}

TEST(FromTrace, WaitallChargesReceivesInCompletionOrder) {
  TraceWriter trace(3);
  const auto a = trace.message(0, Call::Irecv, 1, 11);
  const auto b = trace.message(0, Call::Irecv, 2, 22);
  trace.add(0, {.call = Call::Waitall}, {2, b, a});
  trace.message(1, Call::Send, 0, 11);
  trace.message(2, Call::Send, 0, 22);
  const Graph graph = trace.build();
  EXPECT_EQ(kinds_of(graph, 0), "cccrrc");
  EXPECT_EQ(graph.vertices[3].value, 22);
  EXPECT_EQ(graph.vertices[4].value, 11);
}

TEST(FromTrace, FailedTestsAreAWait) {
  TraceWriter trace(2);
  const auto request = trace.message(0, Call::Irecv, 1);
  trace.add(0, {.call = Call::Test}, {0});
  trace.add(0, {.call = Call::Testall}, {0});
  trace.add(0, {.call = Call::Test}, {1, request});
  trace.message(1, Call::Send, 0);
  const Graph graph = trace.build();
  EXPECT_EQ(kinds_of(graph, 0), "ccrc");
  EXPECT_EQ(graph.vertices[1].value, 299 - 1);  // without the second poll, which took 1 ns
  EXPECT_EQ(graph.vertices[1].tag, 99 + 99);
}

/// Rank 0 has posted a receive, and 10 polls of 7 ns have failed in the last 40 ns: the computation
/// before its last call, and the part of it between polls.
std::pair<std::int64_t, std::int64_t> polled_until(Event last, bool found,
                                                   std::int32_t poll_ns = 7) {
  TraceWriter trace(2);
  const auto request = trace.message(0, Call::Irecv, 1);
  Event polls;
  trace::set_polls(polls, {10, poll_ns, found});
  const auto id = static_cast<std::size_t>(trace.add(0, polls));
  Event& event = trace.trace().ranks[0].events[id];
  event.enter_ns = event.leave_ns = 101 + 40;
  const bool completes = trace::class_of(last.call) == trace::CallClass::completion;
  trace.add(0, last,
            completes ? std::vector<std::int64_t>{1, request} : std::vector<std::int64_t>{});
  if (!completes) trace.add(0, {.call = Call::Wait}, {1, request});
  trace.message(1, Call::Send, 0);
  if (last.call == Call::Send) trace.message(1, Call::Recv, 0);
  const Vertex computed = trace.build().vertices[1];
  return {computed.value, computed.tag};
}

TEST(FromTrace, PollsUntilOneFindsSomethingAreAWait) {
  using Ns = std::pair<std::int64_t, std::int64_t>;
  for (const Call call : {Call::Test, Call::Testall, Call::Testany, Call::Testsome}) {
    EXPECT_EQ(polled_until({.call = call}, false), Ns(40 + (159 - 70), 159 - 70));
  }
  // At most the whole gap; and nothing if the cost of a poll is unknown.
  EXPECT_EQ(polled_until({.call = Call::Test}, false, 99), Ns(40, 0));
  EXPECT_EQ(polled_until({.call = Call::Test}, false, 0), Ns(199, 0));
  // A call that waits itself, and one that does other work …
  EXPECT_EQ(polled_until({.call = Call::Wait}, false), Ns(199, 0));
  EXPECT_EQ(polled_until({.bytes = 8, .peer = 1, .call = Call::Send}, false), Ns(199, 0));
  // … after a probe that found a message.
  EXPECT_EQ(polled_until({.bytes = 8, .peer = 1, .call = Call::Send}, true), Ns(129, 89));
}

TEST(FromTrace, PollsOfAGapEndWithIt) {
  TraceWriter trace(2);
  const auto request = trace.message(0, Call::Irecv, 1);
  Event polls;
  trace::set_polls(polls, {5, 9, false});
  trace.add(0, polls);
  trace.message(0, Call::Send, 1);
  trace.add(0, {.call = Call::Test}, {1, request});
  trace.message(1, Call::Recv, 0);
  trace.message(1, Call::Send, 0);
  const Graph graph = trace.build();
  EXPECT_EQ(graph.vertices[1].value, 199);
  EXPECT_EQ(graph.vertices[3].value, 99);
  EXPECT_TRUE(graph.warnings.empty());
}

TEST(FromTrace, HowMuchOfTheRunWasPolling) {
  TraceWriter trace(2);
  const auto request = trace.message(0, Call::Irecv, 1);
  Event polls;
  trace::set_polls(polls, {3, 20, false});
  trace.add(0, polls);
  trace.add(0, {.call = Call::Test}, {1, request});
  trace.message(1, Call::Send, 0);
  const Graph graph = trace.build();
  ASSERT_EQ(graph.warnings.size(), 1U);
  EXPECT_EQ(graph.warnings[0].code, "polls");
  EXPECT_EQ(
      graph.warnings[0].message,
      "3 polls failed before one found something (1 times): 10% of all ranks' time is waiting "
      "in them and no computation; what was done between them, 7%, is computation");
}

TEST(FromTrace, SendrecvDoesNotWaitForItself) {
  TraceWriter trace(2);
  for (const std::int32_t rank : {0, 1}) {
    trace.add(static_cast<std::size_t>(rank),
              {.bytes = 8, .peer = 1 - rank, .call = Call::Sendrecv}, {1 - rank, 0, 8});
  }
  const Graph graph = trace.build();
  model::LogGPS rendezvous = kNetwork;
  rendezvous.S = 1;
  EXPECT_GT(solve::critical_path(graph, rendezvous).T_ns, 3000);
}

TEST(FromTrace, ProcNullMovesNothing) {
  TraceWriter trace(1);
  trace.message(0, Call::Send, trace::kProcNull);
  trace.message(0, Call::Recv, trace::kProcNull);
  const auto request = trace.message(0, Call::Irecv, trace::kProcNull);
  trace.add(0, {.call = Call::Wait}, {1, request});
  trace.add(0, {.peer = trace::kProcNull, .call = Call::Sendrecv}, {trace::kProcNull, 0, 0});
  const Graph graph = trace.build();
  EXPECT_EQ(graph.messages(), 0U);
  EXPECT_EQ(solve::critical_path(graph, kNetwork).T_ns, 6 * 99);
}

/// The number of calls is also known for each place in the source.
TEST(FromTrace, EveryCallThatCanSendIsCounted) {
  TraceWriter trace(2);
  trace.message(0, Call::Send, trace::kProcNull);
  const auto nobody = trace.message(0, Call::Irecv, trace::kProcNull);
  const auto send = trace.message(0, Call::Send_init, 1, 64, 5);
  trace.message(0, Call::Recv_init, trace::kProcNull);  // never started
  for (int i = 0; i < 3; ++i) {
    trace.add(0, {.call = Call::Start}, {1, send});
    trace.add(0, {.call = Call::Test}, {0});
    trace.add(0, {.call = Call::Test}, {1, send});
    trace.message(1, Call::Recv, 0, 64, 5);
  }
  trace.add(0, {.call = Call::Wait}, {1, nobody});
  std::map<Call, int> counted;
  const CallTable calls = trace.build().calls;
  for (std::size_t i = 0; i < calls.size(); ++i) ++counted[calls[i].call];
  const std::map<Call, int> expected = {
      {Call::Send, 1}, {Call::Irecv, 1}, {Call::Send_init, 1}, {Call::Recv_init, 1},
      {Call::Test, 6}, {Call::Wait, 1},  {Call::Recv, 3}};
  EXPECT_EQ(counted, expected);
}

TEST(FromTrace, PersistentOperationsStartAgainAndAgain) {
  TraceWriter trace(2);
  const auto send = trace.message(0, Call::Send_init, 1, 64, 5);
  const auto recv = trace.message(1, Call::Recv_init, 0, 64, 5);
  for (int i = 0; i < 3; ++i) {
    trace.add(0, {.call = Call::Start}, {1, send});
    trace.add(0, {.call = Call::Wait}, {1, send});
    trace.add(1, {.call = Call::Startall}, {1, recv});
    trace.add(1, {.call = Call::Waitany}, {1, recv});
  }
  trace.add(0, {.call = Call::Request_free}, {1, send});
  EXPECT_EQ(messages_of(trace.build()).size(), 3U);
}

TEST(FromTrace, SendsThatReturnAtOnceAreToldFromThoseThatBlock) {
  TraceWriter trace(2);
  const std::vector<std::pair<Call, bool>> sends = {
      {Call::Send, false},    {Call::Ssend, false},    {Call::Isend, true},
      {Call::Issend, true},   {Call::Sendrecv, false}, {Call::Isendrecv, true},
      {Call::Send_init, true}};
  for (const auto& [call, immediate] : sends) {
    const bool receives = call == Call::Sendrecv || call == Call::Isendrecv;
    const auto request = receives ? trace.add(0, {.bytes = 8, .peer = 1, .tag = 5, .call = call},
                                              {trace::kProcNull, 5, 0})
                                  : trace.message(0, call, 1, 8, 5);
    if (call == Call::Send_init) trace.add(0, {.call = Call::Start}, {1, request});
    if (immediate) trace.add(0, {.call = Call::Wait}, {1, request});
    trace.message(1, Call::Recv, 0, 8, 5);
  }
  const Graph graph = trace.build();
  std::vector<bool> found;
  for (const Vertex& v : graph.vertices) {
    if (v.kind != Kind::send) continue;
    found.push_back(v.immediate);
    EXPECT_EQ(graph.vertices[v.partner].immediate, v.immediate);
  }
  std::vector<bool> expected;
  for (const auto& [call, immediate] : sends) expected.push_back(immediate);
  EXPECT_EQ(found, expected);
}

TEST(FromTrace, CommunicatorRanksBecomeWorldRanks) {
  TraceWriter trace(4);
  const auto reversed = trace.communicator({3, 1});
  trace.message(3, Call::Send, 1, 8, 0, reversed);
  trace.message(1, Call::Recv, 0, 8, 0, reversed);
  EXPECT_EQ(messages_of(trace.build()), (std::vector<std::vector<std::int64_t>>{{3, 1, 8}}));
}

TEST(FromTrace, CommunicatorsDoNotMix) {
  TraceWriter trace(2);
  const auto other = trace.communicator({0, 1});
  trace.message(0, Call::Send, 1, 11, 0, other);
  trace.message(0, Call::Send, 1, 22);
  trace.message(1, Call::Recv, 0, 22);
  trace.message(1, Call::Recv, 0, 11, 0, other);
  const Graph graph = trace.build();
  for (const Vertex& v : graph.vertices) {
    if (v.kind == Kind::recv) {
      EXPECT_EQ(graph.vertices[v.partner].value, v.value);
    }
  }
}

TEST(FromTrace, NonOvertakingWithAnyTag) {
  TraceWriter trace(2);
  trace.message(0, Call::Send, 1, 11, 7);
  trace.message(0, Call::Send, 1, 22, 8);
  trace.message(1, Call::Recv, 0, 100, 8);
  trace.message(1, Call::Recv, 0, 100, trace::kAnyTag);
  const Graph graph = trace.build();
  EXPECT_EQ(graph.vertices[graph.rank_begin[1] + 1].value, 22);
  EXPECT_EQ(graph.vertices[graph.rank_begin[1] + 3].value, 11);
}

TEST(FromTrace, AnySourceIsResolvedWhereOneSenderIsLeft) {
  TraceWriter trace(3);
  trace.message(0, Call::Send, 2, 11, 7);
  trace.message(1, Call::Send, 2, 22, 7);
  trace.message(2, Call::Recv, trace::kAnySource, 100, 7);
  trace.message(2, Call::Recv, 1, 100, 7);
  const Graph graph = trace.build();
  EXPECT_EQ(graph.vertices[graph.rank_begin[2] + 1].value, 11);
}

TEST(FromTrace, AnySourceIsRefusedWhereTheInputDoesNotSay) {
  TraceWriter trace(3);
  trace.message(0, Call::Send, 2, 11, 7);
  trace.message(1, Call::Send, 2, 22, 7);
  trace.message(2, Call::Recv, trace::kAnySource, 100, 7);
  trace.message(2, Call::Recv, trace::kAnySource, 100, 7);
  const std::string error = error_of(trace);
  EXPECT_NE(error.find("trace.2:2: MPI_Recv"), std::string::npos) << error;
  EXPECT_NE(error.find("any source"), std::string::npos) << error;
}

TEST(FromTrace, EveryCollectiveMovesItsData) {
  struct Case {
    Call call;
    std::vector<std::int64_t> args;
    std::size_t least_messages;
  };
  const std::vector<Case> cases = {
      {Call::Barrier, {}, 4},
      {Call::Bcast, {}, 3},
      {Call::Reduce, {}, 3},
      {Call::Allreduce, {}, 8},
      {Call::Gather, {}, 3},
      {Call::Gatherv, {4, 8, 8, 8, 8}, 3},
      {Call::Scatter, {}, 3},
      {Call::Scatterv, {4, 8, 8, 8, 8}, 3},
      {Call::Allgather, {}, 8},
      {Call::Allgatherv, {4, 8, 8, 8, 8}, 8},
      {Call::Alltoall, {}, 8},
      {Call::Alltoallv, {4, 8, 8, 8, 8, 8, 8, 8, 8}, 12},
      {Call::Alltoallw, {4, 8, 8, 8, 8, 8, 8, 8, 8}, 12},
      {Call::Reduce_scatter, {4, 8, 8, 8, 8}, 8},
      {Call::Reduce_scatter_block, {}, 8},
      {Call::Scan, {}, 3},
      {Call::Exscan, {}, 3},
      {Call::Comm_split, {}, 8},
      {Call::Comm_dup, {}, 8},
      {Call::Cart_create, {}, 8},
  };
  for (const Case& c : cases) {
    for (const bool sub : {false, true}) {
      TraceWriter trace(sub ? 6 : 4);
      const auto comm = sub ? trace.communicator({5, 1, 2, 4}) : trace::kWorld;
      const std::vector<std::int32_t> group =
          sub ? std::vector{5, 1, 2, 4} : std::vector{0, 1, 2, 3};
      for (const std::int32_t member : group) {
        const bool root = member == group[0];
        const bool rooted_args = c.call == Call::Gatherv || c.call == Call::Scatterv;
        trace.add(static_cast<std::size_t>(member),
                  {.bytes = 8, .tag = 8, .comm = comm, .call = c.call},
                  rooted_args && !root ? std::vector<std::int64_t>{} : c.args);
      }
      const Graph graph = trace.build();
      const auto messages = messages_of(graph);
      EXPECT_GE(messages.size(), c.least_messages) << trace::name_of(c.call);
      for (const auto& m : messages) {
        EXPECT_TRUE(std::ranges::count(group, m[0]) == 1 && std::ranges::count(group, m[1]) == 1);
      }
      EXPECT_GT(solve::critical_path(graph, kNetwork).latencies, 0) << trace::name_of(c.call);
    }
  }
}

TEST(FromTrace, MakingACommunicatorCostsThreeAgreementsInBothLibraries) {
  // Latencies as measured with 20 ms added to each message: docs/explanation/collectives.md.
  struct Case {
    std::string_view preset;
    Call call;
    std::size_t ranks;
    double latencies;
  };
  const std::vector<Case> cases = {
      {"openmpi", Call::Comm_dup, 2, 6},     {"openmpi", Call::Comm_dup, 8, 18},
      {"openmpi", Call::Cart_create, 6, 12}, {"openmpi", Call::Comm_split, 4, 14},
      {"mpich", Call::Comm_dup, 4, 6},       {"mpich", Call::Cart_create, 8, 9},
      {"default", Call::Comm_dup, 8, 3},
  };
  for (const Case& c : cases) {
    TraceWriter trace(c.ranks);
    for (std::size_t rank = 0; rank < c.ranks; ++rank) trace.add(rank, {.call = c.call});
    BuildOptions options;
    options.collectives.apply(c.preset);
    EXPECT_EQ(solve::critical_path(trace.build(options), kNetwork).latencies, c.latencies)
        << c.preset << ' ' << trace::name_of(c.call) << ' ' << c.ranks;
  }
}

TEST(FromTrace, NonBlockingCollectiveOverlapsComputation) {
  TraceWriter trace(2);
  for (const std::size_t rank : {0U, 1U}) {
    const auto request = trace.add(rank, {.bytes = 8, .tag = 8, .call = Call::Iallreduce});
    for (int i = 0; i < 20; ++i) trace.add(rank, {.call = Call::Probe});
    trace.add(rank, {.call = Call::Wait}, {1, request});
  }
  const Graph graph = trace.build();
  // 99 ns, then 20 stretches of 99 ns in parallel with o + L + o, the wait, 99 ns.
  EXPECT_EQ(solve::critical_path(graph, kNetwork).T_ns, 23 * 99);
  model::LogGPS slow = kNetwork;
  slow.L = 10000;
  EXPECT_EQ(solve::critical_path(graph, slow).T_ns, 99 + 10020 + 99);
}

TEST(FromTrace, RefusesByNameAndSkipsOnRequest) {
  TraceWriter trace(1);
  trace.add(0, {.call = Call::Win_fence});
  EXPECT_EQ(error_of(trace).rfind("trace.0:2: MPI_Win_fence is not supported", 0), 0U);
  TraceWriter again(1);
  again.add(0, {.call = Call::Win_fence});
  BuildOptions skip;
  skip.skip_unsupported = true;
  const Graph graph = again.build(skip);
  ASSERT_EQ(graph.tallies.unsupported.size(), 1U);
  EXPECT_EQ(graph.tallies.unsupported[0].call, Call::Win_fence);
  EXPECT_EQ(graph.tallies.unsupported[0].calls, 1U);
}

TEST(FromTrace, RefusalsTellOfEveryUnsupportedCall) {
  TraceWriter trace(2);
  for (const std::size_t rank : {1U, 0U}) {
    trace.trace().ranks[rank].sites = {trace::kNoSite};
    for (const Call call : {Call::Win_fence, Call::Win_create, Call::Win_fence}) {
      trace.add(rank, {.call = call});
      trace.trace().ranks[rank].sites.push_back(call == Call::Win_fence ? 7 : 8);
    }
    trace.trace().ranks[rank].sites.push_back(trace::kNoSite);
  }
  try {
    trace.build();
    FAIL() << "nothing was refused";
  } catch (const UnsupportedCallsError& error) {
    const std::vector<Tally>& found = error.tallies.unsupported;
    ASSERT_EQ(found.size(), 2U);
    const Tally& fence = found[found[0].call == Call::Win_fence ? 0 : 1];
    EXPECT_EQ(fence.calls, 4U);
    EXPECT_EQ(fence.ns, 4);  // each call takes 1 ns
    EXPECT_EQ(fence.first, "trace.0:2: MPI_Win_fence");
    EXPECT_EQ(fence.sites, (std::map<std::uint32_t, std::uint64_t>{{7, 4}}));
    EXPECT_EQ(error.tallies.ranks_ns, 2 * 400);
  }
}

TEST(FromTrace, SendsThatNothingCompletesCountAsFreed) {
  TraceWriter trace(2);
  for (const std::int32_t tag : {1, 2, 3}) {
    const auto request = trace.message(0, Call::Isend, 1, 8, tag);
    trace.message(1, Call::Recv, 0, 8, tag);
    if (tag == 2) trace.add(0, {.call = Call::Request_free}, {1, request});
  }
  const auto kept = trace.message(0, Call::Send_init, 1, 8, 4);
  trace.add(0, {.call = Call::Start}, {1, kept});
  trace.message(1, Call::Recv, 0, 8, 4);
  const Graph graph = trace.build();
  EXPECT_EQ(messages_of(graph).size(), 4U);
  ASSERT_EQ(graph.tallies.unfinished.size(), 2U);
  EXPECT_EQ(graph.tallies.unfinished[0].call, Call::Isend);
  EXPECT_EQ(graph.tallies.unfinished[0].calls, 2U);
  EXPECT_EQ(graph.tallies.unfinished[0].first, "trace.0:2: MPI_Isend");
  EXPECT_EQ(graph.tallies.unfinished[1].call, Call::Send_init);
  EXPECT_TRUE(graph.tallies.unsupported.empty());
}

TEST(FromTrace, SendsThatAreStartedAgainCountAsFreedToo) {
  TraceWriter trace(2);
  const auto sent = trace.message(0, Call::Send_init, 1, 8, 4);
  const auto received = trace.message(0, Call::Recv_init, 1, 8, 5);
  for (int start = 0; start < 3; ++start) {
    trace.add(0, {.call = Call::Start}, {1, sent});
    trace.message(1, Call::Recv, 0, 8, 4);
  }
  trace.add(0, {.call = Call::Wait}, {1, sent});
  const Graph graph = trace.build();
  EXPECT_EQ(messages_of(graph).size(), 3U);
  ASSERT_EQ(graph.tallies.unfinished.size(), 1U);
  EXPECT_EQ(graph.tallies.unfinished[0].calls, 2U);
  for (int start = 0; start < 2; ++start) trace.add(0, {.call = Call::Start}, {1, received});
  EXPECT_THROW(trace.build(), InputError);
}

TEST(FromTrace, PersistentCollectivesMatchByTheCallThatDescribesThem) {
  TraceWriter trace(2);
  for (const std::size_t rank : {0U, 1U}) {
    const auto wide = trace.add(rank, {.bytes = 64, .tag = 8, .call = Call::Allreduce_init});
    const auto narrow = trace.add(rank, {.bytes = 8, .tag = 8, .call = Call::Allreduce_init});
    for (int round = 0; round < 2; ++round) {  // in another order on each rank
      trace.add(rank, {.call = Call::Start}, {1, rank == 0 ? wide : narrow});
      trace.add(rank, {.call = Call::Start}, {1, rank == 0 ? narrow : wide});
      trace.add(rank, {.call = Call::Waitall}, {2, wide, narrow});
    }
  }
  const std::vector<std::vector<std::int64_t>> wanted{
      {0, 1, 64}, {0, 1, 8}, {0, 1, 64}, {0, 1, 8}, {1, 0, 8}, {1, 0, 64}, {1, 0, 8}, {1, 0, 64}};
  EXPECT_EQ(messages_of(trace.build()), wanted);
}

TEST(FromTrace, IsendrecvIsBothHalvesAsOneRequest) {
  TraceWriter trace(2);
  for (const std::int32_t rank : {0, 1}) {
    const auto r = static_cast<std::size_t>(rank);
    const auto both = trace.add(
        r, {.bytes = 8, .peer = 1 - rank, .tag = 5, .call = Call::Isendrecv}, {1 - rank, 5, 8});
    trace.add(r, {.call = Call::Wait}, {1, both});
  }
  const Graph graph = trace.build();
  EXPECT_EQ(kinds_of(graph, 0), "cscrcc");
  EXPECT_EQ(messages_of(graph).size(), 2U);
  // The latency passes while the rank computes for 99 ns; then the rank waits for the rest of the
  // latency.
  EXPECT_EQ(solve::critical_path(graph, kNetwork).T_ns, 99 + 10 + 1000 + 10 + 99);
}

TEST(FromTrace, APartitionedMessageIsSentWhenItsLastPartitionIsReady) {
  TraceWriter trace(2);
  // Two partitioned messages with the same tag: the second moves 32 B, and starts first on both
  // ranks.
  std::vector<std::int64_t> sends;
  std::vector<std::int64_t> receives;
  for (const std::int64_t k : {0, 1}) {
    const auto bytes = static_cast<std::uint64_t>(16 * (k + 1));
    sends.push_back(
        trace.add(0, {.bytes = bytes, .peer = 1, .tag = 5, .call = Call::Psend_init}, {k}));
    receives.push_back(
        trace.add(1, {.bytes = bytes, .peer = 0, .tag = 5, .call = Call::Precv_init}, {k}));
  }
  trace.add(0, {.call = Call::Startall}, {2, sends[1], sends[0]});
  trace.add(0, {.call = Call::Pready}, {1, sends[1]});
  trace.add(0, {.call = Call::Pready});
  trace.add(0, {.call = Call::Pready}, {1, sends[0]});
  trace.add(0, {.call = Call::Waitall}, {2, sends[0], sends[1]});
  trace.add(1, {.call = Call::Startall}, {2, receives[0], receives[1]});
  trace.add(1, {.call = Call::Waitall}, {2, receives[0], receives[1]});
  const Graph graph = trace.build();
  const std::vector<std::vector<std::int64_t>> wanted{{0, 1, 32}, {0, 1, 16}};
  EXPECT_EQ(messages_of(graph), wanted);
}

TEST(FromTrace, APartitionedSendThatIsCompletedUnreadyIsRefused) {
  TraceWriter trace(2);
  const auto send = trace.add(0, {.bytes = 8, .peer = 1, .call = Call::Psend_init}, {0});
  trace.add(0, {.call = Call::Start}, {1, send});
  trace.add(0, {.call = Call::Wait}, {1, send});
  EXPECT_NE(error_of(trace).find("before all of its partitions were marked ready"),
            std::string::npos);
}

TEST(FromTrace, RequestsThatNobodyRecordedAreRefusedOrTakenForNothing) {
  TraceWriter trace(2);
  trace.message(0, Call::Send, 1);
  trace.message(1, Call::Recv, 0);
  trace.add(1, {.call = Call::Wait, .flags = trace::kUnrecorded}, {0});
  EXPECT_NE(
      error_of(trace).find("trace.1:3: MPI_Wait names a request that no recorded call has made"),
      std::string::npos);
  BuildOptions skip;
  skip.skip_unsupported = true;
  const Graph graph = trace.build(skip);
  EXPECT_EQ(messages_of(graph).size(), 1U);
  ASSERT_EQ(graph.tallies.unrecorded.size(), 1U);
  EXPECT_EQ(graph.tallies.unrecorded[0].call, Call::Wait);
}

TEST(FromTrace, StartsMayHaveReceivedFromOthersThanAsked) {
  TraceWriter trace(2);
  const auto request = trace.add(
      1, {.bytes = 8, .peer = trace::kAnySource, .tag = trace::kAnyTag, .call = Call::Recv_init});
  for (const std::int64_t source : {0, 1, -2}) {  // the last one was cancelled
    trace.add(1, {.call = Call::Start, .flags = trace::kResolved}, {1, request, source, 3});
    if (source >= 0) trace.message(static_cast<std::size_t>(source), Call::Bsend, 1, 8, 3);
    trace.add(1, {.call = Call::Wait}, {1, request});
  }
  const Graph graph = trace.build();
  EXPECT_EQ(messages_of(graph), (std::vector<std::vector<std::int64_t>>{{0, 1, 8}, {1, 1, 8}}));
}

TEST(FromTrace, EventsThatAreNotKnownWellEnoughAreSkippedWithTheirRequests) {
  TraceWriter trace(1);
  const auto a = trace.add(0, {.call = Call::Irecv, .flags = trace::kUnsupported});
  const auto b = trace.add(0, {.call = Call::Recv_init, .flags = trace::kUnsupported});
  trace.add(0, {.call = Call::Start}, {1, b});
  trace.add(0, {.call = Call::Waitall}, {2, a, b});
  TraceWriter again = trace;
  EXPECT_EQ(error_of(trace).rfind("trace.0:2: MPI_Irecv is not supported", 0), 0U);
  BuildOptions skip;
  skip.skip_unsupported = true;
  EXPECT_EQ(kinds_of(again.build(skip), 0), "c");
}

TEST(FromTrace, StepsOfACollectiveAreThoseOfItsOwnArguments) {
  using trace::Event;
  const std::vector<Event> calls = {
      {.bytes = 8, .peer = 0, .call = Call::Bcast},
      {.bytes = 8, .peer = 0, .call = Call::Bcast},
      {.bytes = 8, .peer = 1, .call = Call::Bcast},
      {.bytes = 16, .peer = 1, .call = Call::Bcast},
      {.bytes = 16, .peer = 1, .tag = 8, .call = Call::Reduce},
      {.bytes = 8, .peer = 0, .call = Call::Bcast},
  };
  const auto messages = [](std::span<const Event> made) {
    TraceWriter trace(4);
    for (const Event& event : made) {
      for (std::size_t rank = 0; rank < 4; ++rank) trace.add(rank, event);
    }
    auto found = messages_of(trace.build());
    std::ranges::sort(found);
    return found;
  };
  std::vector<std::vector<std::int64_t>> alone;
  for (const Event& event : calls) {
    for (const auto& message : messages({&event, 1})) alone.push_back(message);
  }
  std::ranges::sort(alone);
  EXPECT_EQ(messages(calls), alone);
}

TEST(FromTrace, MessagesAreCountedInTheCommunicatorOfTheirReceive) {
  TraceWriter trace(3);
  const std::uint32_t made = trace.communicator({2, 0});
  trace.message(0, Call::Send, 0, 16, 0, made);
  trace.message(2, Call::Recv, 1, 64, 0, made);
  for (const std::uint64_t bytes : {8U, 5U}) {
    trace.message(1, Call::Send, 2, bytes);
    trace.message(2, Call::Recv, 1, 8);
  }
  const std::vector<Received> received = received_by_communicator(trace.build());
  ASSERT_EQ(received.size(), made + 2U);
  EXPECT_EQ(received[trace::kWorld].messages, 2U);
  EXPECT_EQ(received[trace::kWorld].bytes, 13U);
  EXPECT_EQ(received[made].messages, 1U);
  EXPECT_EQ(received[made].bytes, 16U);
  EXPECT_EQ(received.back().messages, 0U);
}

TEST(FromTrace, MessagesOfNoCallAreOfNoCommunicator) {
  const Graph graph = Chains(2).send(0, 11, 1).recv(1, 11, 0).build();
  const std::vector<Received> received = received_by_communicator(graph);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].messages, 1U);
  EXPECT_EQ(received[0].bytes, 11U);
}

TEST(FromTrace, CommCreateGroupIsAmongTheNewMembers) {
  TraceWriter trace(3);
  const std::int64_t made = trace.communicator({0, 2});
  for (const std::size_t rank : {0U, 1U, 2U}) {
    trace.add(rank, {.call = Call::Comm_create_group}, {rank == 1 ? -1 : made});
  }
  const Graph graph = trace.build();
  EXPECT_EQ(graph.messages(), 2U);
  EXPECT_EQ(kinds_of(graph, 1), "c");
}

TEST(FromTrace, CallsKnowTheirSites) {
  TraceWriter trace(2);
  trace.message(0, Call::Send, 1);
  trace.message(1, Call::Recv, 0);
  trace.trace().modules.push_back({"app", "ab12"});
  trace.trace().sites.push_back({.module = 0, .offset = 0x40});
  trace.trace().ranks[0].sites = {trace::kNoSite, 0, trace::kNoSite};
  BuildOptions options;
  options.consume = true;
  const Graph graph = trace.build(options);
  ASSERT_EQ(graph.calls.size(), 2U);
  EXPECT_EQ(graph.calls[0].site, 0U);
  EXPECT_EQ(graph.calls[1].site, trace::kNoSite);
  EXPECT_EQ(graph.sites.at(0).offset, 0x40U);
  EXPECT_EQ(graph.modules.at(0).path, "app");
  EXPECT_TRUE(trace.trace().sites.empty());
}

/// Rank 0 has two threads; events of rank 1 answer them.
TEST(FromTrace, ThreadsAreChainsOfTheirOwn) {
  TraceWriter trace(2);
  trace.message(0, Call::Recv, 1, 8, 1);                        // thread 0, waits long
  const auto request = trace.message(0, Call::Irecv, 1, 8, 2);  // thread 7, at the same time
  trace.message(0, Call::Send, 1, 8, 3);                        // thread 7: the call for which
                                                                // thread 0 waits
  trace.add(0, {.call = Call::Wait}, {1, request});             // thread 0
  trace.trace().ranks[0].threads = {0, 0, 7, 7, 0, 0};
  std::vector<Event>& events = trace.trace().ranks[0].events;
  events[1].leave_ns = 390;  // the calls of the other thread lie within this one
  trace.message(1, Call::Recv, 0, 8, 3);
  trace.message(1, Call::Send, 0, 8, 1);
  trace.message(1, Call::Send, 0, 8, 2);
  const Graph graph = trace.build();
  // 99 ns; Recv; thread 7: 100 ns, 99 ns, Send; thread 0: 10 ns, recv of the other's request, 99
  // ns; the join.
  EXPECT_EQ(graph.messages(), 3U);
  std::vector<int> cpus;
  std::vector<std::int64_t> values;
  for (VertexId v = 0; v < graph.rank_begin[1]; ++v) {
    cpus.push_back(graph.unit_of(v).line.number);
    if (graph.vertices[v].kind == Kind::calc) values.push_back(graph.vertices[v].value);
  }
  EXPECT_EQ(kinds_of(graph, 0), "crccscrcc");
  EXPECT_EQ(cpus, (std::vector<int>{0, 0, 1, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(values, (std::vector<std::int64_t>{99, 100, 99, 10, 99, 0}));
  // Thread 7 begins at the time at which thread 0 entered its Recv, not at the Recv's end.
  ASSERT_EQ(graph.deps_of(2).size(), 1U);
  EXPECT_EQ(graph.deps_of(2)[0].vertex, 0U);
  const VertexId join = graph.rank_begin[1] - 1;
  ASSERT_EQ(graph.deps_of(join).size(), 1U);
  EXPECT_EQ(graph.deps_of(join)[0].vertex, 4U);
  // 99; thread 7 sends after 199 more: 298 + o, L, o, rank 1 sends: o, L, o.
  EXPECT_GT(solve::critical_path(graph, kNetwork).T_ns, 298 + 2 * 1000);
}

TEST(FromTrace, ThreadsThatEndInACallWithoutAVertexHaveComputed) {
  TraceWriter trace(1);
  trace.message(0, Call::Send, trace::kProcNull);  // thread 0
  trace.message(0, Call::Send, trace::kProcNull);  // thread 7
  trace.trace().ranks[0].threads = {0, 0, 7, 0};
  const Graph graph = trace.build();
  std::vector<std::int64_t> values;
  for (const Vertex& vertex : graph.vertices) values.push_back(vertex.value);
  EXPECT_EQ(values, (std::vector<std::int64_t>{99, 199, 99, 0}));
  EXPECT_EQ(graph.unit_of(2).line.number, 1);
}

TEST(FromTrace, AThreadThatCallsBeforeMpiInitHasReturnedBeginsThere) {
  TraceWriter trace(2);
  trace.start(0, 1'000'000);
  trace.message(0, Call::Send, 1);  // thread 7
  trace.message(1, Call::Recv, 0);
  trace.trace().ranks[0].threads = {0, 7, 0};
  trace.trace().ranks[0].events[0].leave_ns += 150;
  const Graph graph = trace.build();
  EXPECT_EQ(kinds_of(graph, 0), "scc");  // the thread has not computed since time 0 of the clock
  EXPECT_EQ(graph.vertices[1].value, 49);
}

TEST(FromTrace, ErrorsNameFileAndLine) {
  {
    TraceWriter trace(2);
    trace.message(0, Call::Send, 1);
    EXPECT_EQ(error_of(trace).rfind("trace.0:2: MPI_Send (sending 8 B, tag 0) has no matching", 0),
              0U);
  }
  {
    TraceWriter trace(2);
    trace.message(0, Call::Send, 1, 9);
    trace.message(1, Call::Recv, 0, 8);
    EXPECT_NE(error_of(trace).find("trace.1:2: MPI_Recv"), std::string::npos);
  }
  {
    TraceWriter trace(2);
    trace.message(0, Call::Irecv, 1);
    EXPECT_EQ(error_of(trace).rfind("trace.0:2: MPI_Irecv is never completed", 0), 0U);
  }
  {
    TraceWriter trace(2);
    trace.message(0, Call::Send, 7);
    EXPECT_NE(error_of(trace).find("names rank 7 of a communicator of 2"), std::string::npos);
  }
  {
    TraceWriter trace(2);
    trace.add(0, {.call = Call::Barrier});
    EXPECT_NE(error_of(trace).find("called by 1 of 2 members"), std::string::npos);
  }
  {
    TraceWriter trace(2);
    trace.add(0, {.call = Call::Barrier});
    trace.add(1, {.bytes = 8, .call = Call::Bcast});
    EXPECT_NE(error_of(trace).find("meets trace.1:2: MPI_Bcast"), std::string::npos);
  }
}

}  // namespace
}  // namespace latitude::graph
