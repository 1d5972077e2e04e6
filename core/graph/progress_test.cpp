// The time at which a receive answers the RTS of a rendezvous: in the background, or in calls that
// may wait.
#include <gtest/gtest.h>

#include "core/graph/trace_writer_for_tests.hpp"
#include "core/solve/critical_path.hpp"

namespace latitude::graph {
namespace {

using trace::Call;

constexpr BuildOptions kInBackground{.async_progress = true};

/// The computation (of 99 ns each, counted from 0) after which the rank posts its receive of 8 B.
int posted_after(const Graph& graph, std::uint32_t rank, int receive = 0) {
  VertexId v = graph.rank_begin[rank];
  while (graph.vertices[v].kind != Kind::recv || graph.vertices[v].value != 8 || receive-- > 0) ++v;
  VertexId at = v - 1;
  for (const Dep& dep : graph.deps_of(v)) {
    if (dep.kind == DepKind::posted) at = dep.vertex;
  }
  std::int64_t computed_ns = 0;
  for (VertexId u = graph.rank_begin[rank]; u <= at; ++u) {
    if (graph.vertices[u].kind == Kind::calc) computed_ns += graph.vertices[u].value;
  }
  return static_cast<int>(computed_ns / 99) - 1;
}

TEST(Progress, InTheBackgroundAReceiveIsPostedWhereItsCallIs) {
  TraceWriter trace(2);
  const auto request = trace.message(0, Call::Irecv, 1);
  trace.message(0, Call::Send, 1);
  trace.add(0, {.call = Call::Wait}, {1, request});
  trace.message(1, Call::Send, 0);
  trace.message(1, Call::Recv, 0);
  EXPECT_EQ(posted_after(trace.build(kInBackground), 0), 0);
}

/// Rank 0 posts a receive, makes another call, and waits.
class CallBetween : public testing::TestWithParam<Call> {};

INSTANTIATE_TEST_SUITE_P(Progress, CallBetween,
                         testing::Values(Call::Isend, Call::Irecv, Call::Ibarrier, Call::Send,
                                         Call::Recv, Call::Probe, Call::Test, Call::Barrier));

TEST_P(CallBetween, AnswersIfItMayWait) {
  const Call call = GetParam();
  TraceWriter trace(2);
  const auto request = trace.message(0, Call::Irecv, 1);
  std::vector<std::int64_t> requests{1, request};
  const bool waits = call != Call::Isend && call != Call::Irecv && call != Call::Ibarrier &&
                     call != Call::Probe && call != Call::Test;  // a call that fails
  switch (call) {
    case Call::Isend:
    case Call::Irecv:
      requests = {2, request, trace.message(0, call, 1)};
      break;
    case Call::Ibarrier:
      requests = {2, request, trace.add(0, {.call = call})};
      break;
    case Call::Barrier:
      trace.add(0, {.call = call});
      break;
    case Call::Test:
      trace.add(0, {.call = call}, {0});
      break;
    default:
      trace.message(0, call, 1);
  }
  trace.add(0, {.call = Call::Waitall}, requests);
  trace.message(1, Call::Send, 0);
  if (call == Call::Isend || call == Call::Send) trace.message(1, Call::Recv, 0);
  if (call == Call::Irecv || call == Call::Recv) trace.message(1, Call::Send, 0);
  if (call == Call::Barrier) trace.add(1, {.call = call});
  if (call == Call::Ibarrier) {
    trace.add(1, {.call = Call::Wait}, {1, trace.add(1, {.call = call})});
  }
  EXPECT_EQ(posted_after(trace.build(), 0), waits ? 1 : 2);
}

TEST(Progress, ACallAnswersAllThatIsPosted) {
  TraceWriter trace(3);
  const auto a = trace.message(0, Call::Irecv, 1);
  const auto b = trace.message(0, Call::Irecv, 2);
  trace.add(0, {.call = Call::Waitall}, {2, b, a});
  trace.message(1, Call::Send, 0);
  trace.message(2, Call::Send, 0);
  const Graph graph = trace.build();
  EXPECT_EQ(posted_after(graph, 0, 0), 2);
  EXPECT_EQ(posted_after(graph, 0, 1), 2);
  // Both messages still have two latencies to come: RTR and data.
  const model::LogGPS rendezvous{.L = 1000, .o = 0, .S = 0};
  EXPECT_EQ(solve::critical_path(graph, rendezvous).T_ns, 99 + 1000 + 2 * 1000 + 99);
}

TEST(Progress, WhatIsAnsweredStaysSo) {
  TraceWriter trace(2);
  const auto request = trace.message(0, Call::Irecv, 1);
  trace.add(0, {.call = Call::Barrier});
  trace.add(0, {.call = Call::Barrier});
  trace.add(0, {.call = Call::Wait}, {1, request});
  trace.message(1, Call::Send, 0);
  trace.add(1, {.call = Call::Barrier});
  trace.add(1, {.call = Call::Barrier});
  EXPECT_EQ(posted_after(trace.build(), 0), 1);
}

/// Each rank sends before it waits for its receive, and no message is buffered.
TEST(Progress, ASendThatWaitsAnswersItsOwnReceiver) {
  TraceWriter trace(2);
  for (const std::size_t rank : {0, 1}) {
    const auto other = static_cast<std::int32_t>(1 - rank);
    const auto request = trace.message(rank, Call::Irecv, other);
    trace.message(rank, Call::Send, other);
    trace.add(rank, {.call = Call::Wait}, {1, request});
  }
  const model::LogGPS rendezvous{.L = 1000, .o = 0, .S = 0};
  EXPECT_GT(solve::critical_path(trace.build(), rendezvous).T_ns, 3000);
}

TEST(Progress, ThreadsAnswerForEachOther) {
  TraceWriter trace(2);
  const auto request = trace.message(0, Call::Irecv, 1);
  trace.add(0, {.call = Call::Wait}, {1, request});
  trace.message(1, Call::Send, 0);
  trace.trace().ranks[0].threads = {0, 0, 0, 0};
  EXPECT_EQ(posted_after(trace.build(), 0), 0);
}

}  // namespace
}  // namespace latitude::graph
