// The ends of a traced run's computations, by the common clock of all ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/graph/from_trace.hpp"
#include "core/graph/trace_writer_for_tests.hpp"
#include "core/solve/critical_path.hpp"
#include "core/solve/replay.hpp"

namespace latitude::graph {
namespace {

using trace::Call;
using Times = std::vector<std::int64_t>;

/// Graph::traced_ns of a rank; -1: not traced.
Times times_of(const Graph& graph, std::uint32_t rank) {
  EXPECT_EQ(graph.traced_ns.size(), graph.vertices.size());
  Times times(graph.traced_ns.begin() + graph.rank_begin[rank],
              graph.traced_ns.begin() + graph.rank_begin[rank + 1]);
  std::ranges::replace(times, kNotTraced, std::int64_t{-1});
  return times;
}

TEST(TracedTimes, AreThoseOfComputationsSinceTheFirstRankBegan) {
  TraceWriter trace(2);
  trace.start(0, 7500);
  trace.start(1, 7000);
  trace.message(0, Call::Send, 1);
  trace.message(1, Call::Recv, 0);
  const Graph graph = trace.build_timed();
  EXPECT_EQ(kinds_of(graph, 0), "csc");
  EXPECT_EQ(times_of(graph, 0), (Times{599, -1, 699}));  // MPI_Init of rank 1 returned at 7001
  EXPECT_EQ(times_of(graph, 1), (Times{99, -1, 199}));
}

TEST(TracedTimes, AreNotThereUnlessAskedFor) {
  TraceWriter trace(1);
  trace.trace().no_common_clock.clear();
  const Graph graph = trace.build();
  EXPECT_EQ(kinds_of(graph, 0), "c");
  EXPECT_TRUE(graph.traced_ns.empty());
}

TEST(TracedTimes, PassOverCallsThatMakeNoVertex) {
  TraceWriter trace(2);
  trace.message(0, Call::Send, trace::kProcNull);
  trace.add(0, {.call = Call::Test}, {0});
  trace.add(0, {.call = Call::Probe});
  trace.message(0, Call::Send, 1);
  trace.message(1, Call::Recv, 0);
  const Graph graph = trace.build_timed();
  EXPECT_EQ(times_of(graph, 0), (Times{399, -1, 499}));
  EXPECT_EQ(graph.vertices[0].value, 99 + 199 + 99);
}

TEST(TracedTimes, AreNotKnownOfWhatACallDoes) {
  TraceWriter trace(2);
  const auto receive = trace.message(0, Call::Irecv, 1);
  const auto send = trace.message(0, Call::Isend, 1);
  trace.add(0, {.call = Call::Waitall}, {2, receive, send});
  trace.message(1, Call::Send, 0);
  trace.message(1, Call::Recv, 0);
  const Graph graph = trace.build_timed();
  EXPECT_EQ(kinds_of(graph, 0), "ccscrcc");  // the last but one joins the send
  EXPECT_EQ(times_of(graph, 0), (Times{99, 199, -1, 299, -1, -1, 399}));
  TraceWriter reducing(2);
  for (const std::size_t rank : {0U, 1U}) {
    reducing.add(rank, {.bytes = 8, .tag = 8, .call = Call::Allreduce});
  }
  reducing.trace().no_common_clock.clear();
  const Graph reduced = reducing.build({.reduce_ns_per_byte = 2, .traced_times = true});
  EXPECT_EQ(kinds_of(reduced, 0), "csrccc");  // the send's end, then the reduction
  EXPECT_EQ(times_of(reduced, 0), (Times{99, -1, -1, -1, -1, 199}));
}

TEST(TracedTimes, AreKnownOfCallsThatFollowEachOtherAtOnce) {
  TraceWriter trace(2);
  trace.message(0, Call::Send, 1);
  trace.message(0, Call::Send, 1);
  trace.message(1, Call::Recv, 0);
  trace.message(1, Call::Recv, 0);
  for (trace::RankTrace& rank : trace.trace().ranks) rank.events[1].leave_ns = 200;
  trace.trace().ranks[1].events[2].leave_ns = 300;  // the second Recv lasts until MPI_Finalize
  TraceWriter again = trace;
  EXPECT_EQ(kinds_of(again.build(), 1), "crr");
  const Graph graph = trace.build_timed();
  EXPECT_EQ(kinds_of(graph, 0), "cscsc");
  EXPECT_EQ(kinds_of(graph, 1), "crcrc");
  EXPECT_EQ(times_of(graph, 1), (Times{99, -1, 199, -1, 299}));
  const model::LogGPS fast{.L = 1, .S = 1 << 20};
  EXPECT_EQ(solve::critical_path(solve::replayed(graph, fast), fast).T_ns, 299);
}

TEST(TracedTimes, OfThreadsAreTheirOwn) {
  TraceWriter trace(2);
  trace.message(0, Call::Recv, 1, 8, 1);           // thread 0, until 390
  trace.message(0, Call::Send, 1, 8, 3);           // thread 7
  trace.message(0, Call::Send, trace::kProcNull);  // thread 7: its last
  trace.message(0, Call::Send, trace::kProcNull);  // thread 0
  trace.trace().ranks[0].threads = {0, 0, 7, 7, 0, 0};
  trace.trace().ranks[0].events[1].leave_ns = 390;
  trace.message(1, Call::Recv, 0, 8, 3);
  trace.message(1, Call::Send, 0, 8, 1);
  const Graph graph = trace.build_timed();
  // Recv at 99; thread 7 sends at 199 and computes until 299. Thread 0 computes until 399. Its call
  // leaves no vertex, so it computes on until MPI_Finalize at 499, which waits for the other
  // thread.
  EXPECT_EQ(kinds_of(graph, 0), "crcscccc");
  EXPECT_EQ(times_of(graph, 0), (Times{99, -1, 199, -1, 399, 499, 299, -1}));
  std::vector<int> cpus;
  for (VertexId v = 0; v < graph.rank_begin[1]; ++v) cpus.push_back(graph.unit_of(v).line.number);
  EXPECT_EQ(cpus, (std::vector<int>{0, 0, 1, 1, 0, 0, 1, 0}));
}

TEST(TracedTimes, OfTheRestDoNotCountFromARankWithoutEvents) {
  TraceWriter trace(2);
  trace.start(0, 5000);
  trace.add(0, {.call = Call::Finalize});
  trace.trace().ranks[1].events.clear();
  trace.trace().no_common_clock.clear();
  const Graph graph = build_graph(trace.trace(), {.traced_times = true});
  EXPECT_EQ(times_of(graph, 0), Times{99});
  EXPECT_TRUE(times_of(graph, 1).empty());
}

TEST(TracedTimes, AreRefusedWithTheTracesOwnReason) {
  const BuildOptions options{.traced_times = true};
  TraceWriter trace(1);
  EXPECT_EQ(error_of(trace, options),
            "the traced run cannot be replayed: its format does not say whether the ranks' clocks "
            "agree");
  TraceWriter again(1);
  again.trace().no_common_clock = "each rank ran on a planet of its own";
  EXPECT_EQ(error_of(again, options),
            "the traced run cannot be replayed: each rank ran on a planet of its own");
}

}  // namespace
}  // namespace latitude::graph
