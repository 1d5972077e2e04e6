#include <gtest/gtest.h>

#include <cctype>

#include "core/error.hpp"
#include "core/graph/collectives/collective.hpp"
#include "core/graph/collectives/expected.hpp"

namespace latitude::graph {
namespace {

using trace::Call;
using trace::CallClass;

Collective whole(Call call, int size, std::uint64_t bytes, std::uint64_t element = 1,
                 bool commutative = true) {
  Collective c;
  c.call = call;
  c.size = size;
  c.bytes = bytes;
  c.element = element;
  c.commutative = commutative;
  return c;
}

std::string error_of(std::string_view option) {
  Selection selection;
  try {
    selection.apply(option);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(AlgorithmsFor, OffersForEveryBlockingCollectiveAndNothingElse) {
  for (std::size_t i = 0; i < trace::kCallCount; ++i) {
    const Call call = static_cast<Call>(i);
    EXPECT_EQ(algorithms_for(call).empty(), trace::class_of(call) != CallClass::collective)
        << trace::name_of(call);
  }
}

TEST(AlgorithmsFor, OffersWhatTheDesignNames) {
  const std::vector<std::pair<Call, std::vector<std::string_view>>> promised{
      {Call::Barrier, {"dissemination"}},
      {Call::Bcast, {"binomial", "scatter-allgather", "chain"}},
      {Call::Reduce, {"binomial", "rabenseifner"}},
      {Call::Allreduce, {"recursive-doubling", "ring", "rabenseifner", "reduce-bcast"}},
      {Call::Gather, {"binomial", "linear"}},
      {Call::Scatter, {"binomial", "linear"}},
      {Call::Gatherv, {"linear"}},
      {Call::Scatterv, {"linear"}},
      {Call::Allgather, {"ring", "recursive-doubling", "bruck"}},
      {Call::Allgatherv, {"ring", "recursive-doubling", "bruck"}},
      {Call::Alltoall, {"linear", "pairwise", "bruck"}},
      {Call::Alltoallv, {"linear", "pairwise"}},
      {Call::Alltoallw, {"linear", "pairwise"}},
      {Call::Reduce_scatter, {"ring", "recursive-halving", "pairwise"}},
      {Call::Reduce_scatter_block, {"ring", "recursive-halving", "pairwise"}},
      {Call::Scan, {"recursive-doubling", "linear"}},
      {Call::Exscan, {"recursive-doubling", "linear"}},
      {Call::Neighbor_alltoallw, {"linear"}},
  };
  for (const auto& [call, names] : promised) {
    EXPECT_EQ(algorithms_for(call).front().name, names.front()) << trace::name_of(call);
    for (const std::string_view name : names) {
      bool found = false;
      for (const NamedAlgorithm& algorithm : algorithms_for(call)) found |= algorithm.name == name;
      EXPECT_TRUE(found) << trace::name_of(call) << ' ' << name;
    }
  }
}

TEST(Selection, LaterOptionsWin) {
  Selection selection;
  EXPECT_EQ(selection.describe(), "default");
  const Collective allreduce = whole(Call::Allreduce, 16, 1 << 20, 8);
  EXPECT_EQ(selection.choose(allreduce).name, "recursive-doubling");
  selection.apply("openmpi");
  EXPECT_EQ(selection.choose(allreduce).name, "rabenseifner");
  selection.apply("allreduce=ring");
  EXPECT_EQ(selection.choose(allreduce).name, "ring");
  EXPECT_EQ(selection.describe(), "openmpi, allreduce=ring");
  selection.apply("allreduce=reduce-bcast");
  selection.apply("reduce_scatter_block=pairwise");
  EXPECT_EQ(selection.describe(), "openmpi, allreduce=reduce-bcast, reduce_scatter_block=pairwise");
  selection.apply("mpich");
  EXPECT_EQ(selection.describe(), "mpich");
  EXPECT_EQ(selection.choose(allreduce).name, "rabenseifner");
  selection.apply("dimemas");
  EXPECT_EQ(selection.describe(), "dimemas");
  EXPECT_EQ(selection.choose(allreduce).name, "all-wait-for-all");
  EXPECT_TRUE(selection.creation(true, 0, 16).empty());
  selection.apply("default");
  EXPECT_EQ(selection.describe(), "default");
}

TEST(Selection, ErrorsSayWhatIsOffered) {
  EXPECT_EQ(error_of("allreduce=rings"),
            "--collective allreduce=rings: allreduce offers recursive-doubling, ring, "
            "rabenseifner, reduce-bcast, linear");
  EXPECT_NE(error_of("intelmpi").find("default, openmpi, mpich, dimemas, or OPERATION=ALGORITHM"),
            std::string::npos);
  EXPECT_NE(error_of("iallreduce=ring").find("no operation 'iallreduce'; there are barrier, bcast"),
            std::string::npos);
  EXPECT_NE(error_of("send=ring").find("no operation 'send'"), std::string::npos);
  EXPECT_NE(error_of("gatherv=binomial").find("gatherv offers linear"), std::string::npos);
  for (const std::string_view bad : {"", "=", "=ring", "allreduce=", "Allreduce=ring", "allreduce"})
    EXPECT_NE(error_of(bad), "") << bad;
  EXPECT_EQ(error_of("neighbor_alltoallw=linear"), "");
}

TEST(Selection, KeepsRankOrderWhereTheOperationDoesNotCommute) {
  Selection selection;
  EXPECT_EQ(selection.choose(whole(Call::Reduce_scatter_block, 8, 64, 8, false)).name,
            "recursive-doubling");
  selection.apply("allreduce=ring");
  selection.apply("reduce=rabenseifner");
  EXPECT_EQ(selection.choose(whole(Call::Allreduce, 8, 64, 8, false)).name, "recursive-doubling");
  EXPECT_EQ(selection.choose(whole(Call::Allreduce, 8, 64, 8, true)).name, "ring");
  EXPECT_EQ(selection.choose(whole(Call::Reduce, 8, 64, 8, false)).name, "binomial");
}

TEST(Selection, RefusesWhatCannotBe) {
  const Selection selection;
  Collective bcast = whole(Call::Bcast, 4, 8);
  bcast.root = 4;
  EXPECT_THROW(selection.choose(bcast), InputError);
  bcast.root = -1;
  EXPECT_THROW(selection.choose(bcast), InputError);
  Steps steps;
  const std::vector<std::int64_t> three{1, 2, 3};
  const std::vector<std::int64_t> negative{1, 2, 3, -4};
  for (const Call call :
       {Call::Gatherv, Call::Scatterv, Call::Allgatherv, Call::Alltoallv, Call::Reduce_scatter}) {
    Collective c = whole(call, 4, 8);
    EXPECT_THROW(selection.choose(c).run(c, steps), InputError) << trace::name_of(call);
    c.send_bytes = c.recv_bytes = three;
    EXPECT_THROW(selection.choose(c).run(c, steps), InputError) << trace::name_of(call);
    c.send_bytes = c.recv_bytes = negative;
    EXPECT_THROW(selection.choose(c).run(c, steps), InputError) << trace::name_of(call);
  }
  Collective neighbors = whole(Call::Neighbor_alltoallv, 3, 8);
  neighbors.destinations = neighbors.sources = three;  // there is no rank 3
  neighbors.send_bytes = neighbors.recv_bytes = three;
  EXPECT_THROW(selection.choose(neighbors).run(neighbors, steps), InputError);
  neighbors.size = 4;
  EXPECT_NO_THROW(selection.choose(neighbors).run(neighbors, steps));
  neighbors.recv_bytes = {};
  EXPECT_THROW(selection.choose(neighbors).run(neighbors, steps), InputError);
}

trace::Trace calling(std::string name, std::size_t ranks, std::uint64_t count) {
  trace::Trace trace;
  trace.ranks.resize(ranks);
  for (trace::RankTrace& rank : trace.ranks) rank.call_counts = {{name, count}};
  trace.communicators.resize(1);
  trace.communicators[0].group = std::vector<std::int32_t>(ranks);
  return trace;
}

TEST(ExpectedOperations, AreThoseOfTheChosenAlgorithms) {
  const Selection none;
  EXPECT_EQ(expected_operations(calling("MPI_Allreduce", 4096, 10), none), 4096 * 10 * 24);
  EXPECT_EQ(expected_operations(calling("MPI_Iallreduce", 4096, 10), none), 4096 * 10 * 24);
  EXPECT_EQ(expected_operations(calling("MPI_Alltoallv", 64, 1), none), 64 * 2 * 63);
  EXPECT_EQ(expected_operations(calling("MPI_Bcast", 64, 1), none), 2 * 63);
  Selection ring;
  ring.apply("allreduce=ring");
  EXPECT_EQ(expected_operations(calling("MPI_Allreduce", 4, 1), ring), 4 * 2 * 2 * 3);
}

TEST(ExpectedOperations, AskSomeMembersOfMany) {
  const double sent = expected_operations(calling("MPI_Bcast", 4096, 1), {}) / (2 * 4095);
  EXPECT_GT(sent, 0.8);
  EXPECT_LT(sent, 1.2);
}

TEST(ExpectedOperations, TakeCommunicatorsOfTheMeanSize) {
  trace::Trace trace = calling("MPI_Allreduce", 64, 1);
  trace.communicators.resize(8);  // the other ranks have no neighbours
  EXPECT_EQ(expected_operations(trace, {}), 64 * 2 * 3);
}

TEST(ExpectedOperations, AreNoneOfOtherCalls) {
  EXPECT_EQ(expected_operations(calling("MPI_Send", 64, 1), {}), 0);
  EXPECT_EQ(expected_operations(calling("MPI_Neighbor_alltoall", 64, 1), {}), 0);
  EXPECT_EQ(expected_operations(calling("MPI_Allreduce", 1, 1), {}), 0);
}

}  // namespace
}  // namespace latitude::graph
