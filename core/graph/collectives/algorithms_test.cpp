// Every algorithm at every size: messages match, nothing hangs under rendezvous, every contribution
// can reach each rank that needs it, and enough bytes arrive.

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "core/graph/collectives/collective.hpp"
#include "core/graph/collectives/schedule_for_tests.hpp"

namespace latitude::graph {
namespace {

using test::Outcome;
using test::World;
using trace::Call;

bool is_neighbor(Call call) {
  return trace::name_of(call).find("Neighbor") != std::string_view::npos;
}

/// Whether `rank` must end with the contribution of `from`.
bool must_know(const World& world, int rank, int from) {
  const World::Shape& s = world.shape();
  switch (s.call) {
    case Call::Bcast:
    case Call::Scatter:
      return from == s.root;
    case Call::Scatterv:
      return from == s.root && world.block(rank) > 0;
    case Call::Reduce:
    case Call::Gather:
      return rank == s.root;
    case Call::Gatherv:
      return rank == s.root && world.block(from) > 0;
    case Call::Allgatherv:
      return world.block(from) > 0;
    case Call::Reduce_scatter:
      return world.block(rank) > 0;
    case Call::Alltoallv:
    case Call::Alltoallw:
      return world.flow(from, rank) > 0;
    case Call::Scan:
    case Call::Exscan:
      return from < rank;
    default:
      if (!is_neighbor(s.call)) return true;
      for (const std::int64_t source : world.members()[static_cast<std::size_t>(rank)].sources)
        if (source == from) return true;
      return false;
  }
}

/// The fewest bytes that `rank` must receive.
std::uint64_t must_receive(const World& world, int rank) {
  const World::Shape& s = world.shape();
  std::uint64_t bytes = 0;
  switch (s.call) {
    case Call::Barrier:
      return 0;
    case Call::Bcast:
    case Call::Scatter:
      return rank == s.root ? 0 : s.bytes;
    case Call::Scatterv:
      return rank == s.root ? 0 : world.block(rank);
    case Call::Reduce:
      return rank == s.root ? s.bytes : 0;
    case Call::Allreduce:
      return s.bytes;
    case Call::Reduce_scatter:
    case Call::Reduce_scatter_block:
      return world.block(rank);
    case Call::Scan:
    case Call::Exscan:
      return rank > 0 ? s.bytes : 0;
    case Call::Gather:
    case Call::Gatherv:
      if (rank != s.root) return 0;
      [[fallthrough]];
    case Call::Allgather:
    case Call::Allgatherv:
      for (int i = 0; i < s.size; ++i) bytes += i == rank ? 0 : world.block(i);
      return bytes;
    case Call::Alltoall:
    case Call::Alltoallv:
    case Call::Alltoallw:
      for (int i = 0; i < s.size; ++i) bytes += i == rank ? 0 : world.flow(i, rank);
      return bytes;
    default:
      for (const std::int64_t source : world.members()[static_cast<std::size_t>(rank)].sources)
        bytes += source >= 0 && source != rank ? s.bytes : 0;
      return bytes;
  }
}

void check(const World& world, Algorithm algorithm) {
  const Outcome outcome = test::play(world, algorithm);
  ASSERT_EQ(outcome.problem, "");
  const World::Shape& s = world.shape();
  if (s.size == 1) {
    EXPECT_EQ(outcome.messages(), 0u);
  }
  if (s.bytes == 0 && s.call != Call::Barrier && !is_neighbor(s.call) &&
      s.call != Call::Alltoallv && s.call != Call::Alltoallw) {
    EXPECT_EQ(outcome.messages(), 0u);
    return;
  }
  if (s.bytes == 0 && s.call != Call::Barrier) return;
  for (int rank = 0; rank < s.size; ++rank) {
    const test::Member& member = outcome.members[static_cast<std::size_t>(rank)];
    for (int from = 0; from < s.size; ++from) {
      if (must_know(world, rank, from)) {
        ASSERT_TRUE(member.knows[static_cast<std::size_t>(from)])
            << "rank " << rank << " never hears of rank " << from;
      }
    }
    if (s.size > 1) {
      ASSERT_GE(member.received, must_receive(world, rank)) << "rank " << rank;
    }
  }
}

/// Reductions whose messages are sums over one set of ranks (those of a ring and of a pairwise
/// exchange are not): each operand counts once, and in rank order if the operation does not
/// commute.
void check_sums(const World& world, const NamedAlgorithm& algorithm) {
  const World::Shape& s = world.shape();
  const bool to_all = s.call == Call::Allreduce || s.call == Call::Reduce_scatter ||
                      s.call == Call::Reduce_scatter_block;
  if ((s.call != Call::Reduce && !to_all) || s.bytes == 0 || s.bytes > 65536) return;
  if (algorithm.name == "ring" || algorithm.name == "pairwise") return;
  const Outcome outcome = test::play(world, algorithm.run);
  EXPECT_EQ(outcome.counted_twice, "");
  if (!s.commutative) {
    EXPECT_EQ(outcome.out_of_order, "");
  }
  for (int rank = 0; rank < s.size; ++rank) {
    if (to_all ? world.block(rank) == 0 : rank != s.root) continue;
    ASSERT_EQ(outcome.members[static_cast<std::size_t>(rank)].summed.count(),
              static_cast<std::size_t>(s.size))
        << "rank " << rank;
  }
}

std::vector<int> sizes() {
  std::vector<int> all{32, 33};
  for (int size = 1; size <= 17; ++size) all.push_back(size);
  return all;
}

class EveryCall : public testing::TestWithParam<Call> {};

TEST_P(EveryCall, Works) {
  const Call call = GetParam();
  ASSERT_FALSE(algorithms_for(call).empty());
  for (const NamedAlgorithm& algorithm : algorithms_for(call)) {
    for (const int size : sizes()) {
      const auto per_rank = static_cast<std::uint64_t>(size);
      for (const std::uint64_t bytes :
           {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{24}, 8 * (4 * per_rank + 1),
            std::uint64_t{1000}, std::uint64_t{3 * 65536 + 8}}) {
        for (const int root : std::set<int>{0, 1 % size, size / 2, size - 1}) {
          for (const bool commutative : {true, false}) {
            if (!commutative && algorithm.needs_commutative) continue;
            SCOPED_TRACE(testing::Message() << trace::name_of(call) << '=' << algorithm.name
                                            << " size " << size << " root " << root << " bytes "
                                            << bytes << " commutative " << commutative);
            const World world({call, size, root, bytes, 8, commutative});
            check(world, algorithm.run);
            check_sums(world, algorithm);
            if (is_neighbor(call))
              check(World({call, size, root, bytes, 8, commutative}, false), algorithm.run);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

/// The presets also run algorithms that have no name.
TEST_P(EveryCall, WorksUnderEveryPreset) {
  const Call call = GetParam();
  for (const std::string_view preset : {"default", "openmpi", "mpich"}) {
    Selection selection;
    selection.apply(preset);
    for (const int size : {1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 33, 64, 70, 130, 256}) {
      for (const std::uint64_t bytes : std::initializer_list<std::uint64_t>{
               1, 4, 8, 24, 80, 600, 3000, 9000, 40000, 400000, 3000000}) {
        for (const bool commutative : {true, false}) {
          SCOPED_TRACE(testing::Message()
                       << trace::name_of(call) << " preset " << preset << " size " << size
                       << " bytes " << bytes << " commutative " << commutative);
          const World world({call, size, size / 3, bytes, 1, commutative});
          const NamedAlgorithm algorithm = selection.choose(world.members()[0]);
          for (const Collective& member : world.members())
            ASSERT_EQ(selection.choose(member).name, algorithm.name) << "rank " << member.rank;
          const bool quadratic = algorithm.name == "linear" || algorithm.name == "scattered";
          if (size > 70 && (bytes % 3 != 0 || quadratic)) continue;  // the others suffice
          check(world, algorithm.run);
          check_sums(world, algorithm);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

/// Dimemas' preset moves no data: every rank waits for all others, whatever the operation.
TEST_P(EveryCall, WaitsForAllUnderDimemas) {
  const Call call = GetParam();
  if (is_neighbor(call)) return;
  Selection selection;
  selection.apply("dimemas");
  for (const int size : {1, 2, 3, 4, 5, 8, 13, 16, 33}) {
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{100000}}) {
      const World world({call, size, size / 2, bytes, 1, true});
      const Outcome outcome = test::play(world, selection.choose(world.members()[0]).run);
      ASSERT_EQ(outcome.problem, "");
      for (const test::Member& member : outcome.members) {
        EXPECT_EQ(member.knows.count(), static_cast<std::size_t>(size))
            << trace::name_of(call) << " size " << size << " bytes " << bytes;
      }
      EXPECT_EQ(outcome.rounds(),
                static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(size - 1))));
    }
  }
}

std::vector<Call> every_call() {
  std::vector<Call> calls;
  for (std::size_t i = 0; i < trace::kCallCount; ++i)
    if (trace::class_of(static_cast<Call>(i)) == trace::CallClass::collective)
      calls.push_back(static_cast<Call>(i));
  return calls;
}

INSTANTIATE_TEST_SUITE_P(Collectives, EveryCall, testing::ValuesIn(every_call()),
                         [](const auto& info) {
                           return std::string(trace::name_of(info.param).substr(4));
                         });

}  // namespace
}  // namespace latitude::graph
