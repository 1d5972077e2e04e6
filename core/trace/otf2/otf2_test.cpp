// The events of an archive's records, and the meaning of collectives' sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/otf2/assemble.hpp"
#include "core/trace/otf2/format.hpp"
#include "core/trace/otf2/sizes.hpp"
#include "core/trace/shares.hpp"

namespace latitude::trace::otf2 {
namespace {

/// The sizes that Score-P writes for a call on `rank` of `size` with `n` bytes per block or vector;
/// for a v-collective, n·(r+1) to or from rank r; none for calls without bytes.
Sums scorep(Call call, std::uint64_t n, std::uint64_t rank, std::uint64_t size, bool root,
            bool in_place) {
  const std::uint64_t parts = size - (in_place ? 1 : 0);
  const std::uint64_t own = n * (rank + 1);
  const std::uint64_t all = n * size * (size + 1) / 2 - (in_place ? own : 0);
  switch (call) {
    case Call::Bcast:
      return {root ? size * n : 0, n};
    case Call::Reduce:
      return {root && in_place ? 0 : n, root ? parts * n : 0};
    case Call::Allreduce:
    case Call::Allgather:
    case Call::Alltoall:
    case Call::Reduce_scatter_block:
      return {parts * n, parts * n};
    case Call::Gather:
      return {root && in_place ? 0 : n, root ? parts * n : 0};
    case Call::Gatherv:
      return {root && in_place ? 0 : own, root ? all : 0};
    case Call::Scatter:
      return {root ? parts * n : 0, root && in_place ? 0 : n};
    case Call::Scatterv:
      return {root ? all : 0, root && in_place ? 0 : own};
    case Call::Allgatherv:
      return {parts * own, all};
    case Call::Reduce_scatter:
      return {all, parts * own};
    case Call::Alltoallv:
    case Call::Alltoallw:
      return {n * size, n * size};
    case Call::Scan:
      return {(size - rank) * n, (rank + 1) * n};
    case Call::Exscan:
      return {(size - rank - 1) * n, rank * n};
    default:
      return {0, 0};
  }
}

bool of_lists(Call call) { return list_layout(call) != ListLayout::none; }

/// The trace of an archive in which all ranks of a world make the call.
Trace world(Call call, std::uint64_t n, std::uint64_t size, std::uint64_t root, bool in_place) {
  Trace trace;
  trace.communicators.push_back({Members::all(size)});
  std::vector<std::vector<Share>> shares;
  for (std::uint64_t rank = 0; rank < size; ++rank) {
    const bool is_root = rank == root;
    const Sums sums = scorep(call, n, rank, size, is_root, in_place);
    const Sizes sizes = sizes_of(call, sums.sent, sums.received, is_root, rank, size);
    trace.ranks.emplace_back().events.push_back({.position = 1, .call = call});
    shares.push_back({{0, is_root, sizes.gives, sizes.gets}});
  }
  put_shares_together(trace, shares);
  return trace;
}

class EveryCollective : public testing::TestWithParam<Call> {};

TEST_P(EveryCollective, IsWhatTheProgramCalled) {
  const Call call = GetParam();
  constexpr std::uint64_t kBytes = 8 * 5 * 7 * 9;  // whole elements, for any division
  for (std::uint64_t size = 1; size <= 9; ++size) {
    for (std::uint64_t root = 0; root < size; ++root) {
      for (const bool in_place : {false, true}) {
        // One rank in place moves nothing; a sum that both numbers of parts divide is ambiguous.
        if (in_place && size == 1) continue;
        const bool ambiguous = !has_root(call) && kBytes * (size - 1) % size == 0;
        if (in_place && ambiguous) continue;
        const Trace trace = world(call, kBytes, size, root, in_place);
        for (std::uint64_t rank = 0; rank < size; ++rank) {
          SCOPED_TRACE(testing::Message() << name_of(call) << " size " << size << " root " << root
                                          << " in place " << in_place << " rank " << rank);
          const Event& event = trace.ranks[rank].events[0];
          if (has_root(call)) {
            EXPECT_EQ(root_of(event), static_cast<std::int32_t>(root));
          }
          if (call == Call::Barrier) continue;
          if (!of_lists(call)) {
            const bool none = call == Call::Exscan && size == 1;
            EXPECT_EQ(event.bytes, none ? 0 : kBytes);
          } else if (!in_place || (rank != root && has_root(call))) {
            const bool exchange = list_layout(call) == ListLayout::both;
            EXPECT_EQ(event.bytes, exchange ? kBytes * size : kBytes * (rank + 1));
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Otf2, EveryCollective,
                         testing::Values(Call::Barrier, Call::Bcast, Call::Reduce, Call::Allreduce,
                                         Call::Gather, Call::Gatherv, Call::Scatter, Call::Scatterv,
                                         Call::Allgather, Call::Allgatherv, Call::Alltoall,
                                         Call::Alltoallv, Call::Alltoallw, Call::Reduce_scatter,
                                         Call::Reduce_scatter_block, Call::Scan, Call::Exscan),
                         [](const auto& info) {
                           return std::string(name_of(info.param).substr(4));
                         });

TEST_P(EveryCollective, IsWrittenAsScorepWritesIt) {
  const Call call = GetParam();
  constexpr std::uint64_t kBytes = 24;
  for (std::uint64_t size = 1; size <= 9; ++size) {
    std::vector<std::int64_t> each;  // n·(r+1) to or from rank r
    for (std::uint64_t rank = 1; rank <= size; ++rank) {
      each.push_back(static_cast<std::int64_t>(kBytes * rank));
    }
    const std::vector<std::int64_t> even(size, kBytes);
    const ListLayout layout = list_layout(call);
    const std::span<const std::int64_t> list = layout == ListLayout::both ? even : each;
    for (std::uint64_t root = 0; root < size; ++root) {
      for (const bool in_place : {false, true}) {
        for (std::uint64_t rank = 0; rank < size; ++rank) {
          SCOPED_TRACE(testing::Message() << name_of(call) << " size " << size << " root " << root
                                          << " in place " << in_place << " rank " << rank);
          // With a root, only the root may give MPI_IN_PLACE; some calls cannot be in place.
          const bool exchanges = layout == ListLayout::both;
          const bool own = in_place && (!has_root(call) || rank == root) && call != Call::Bcast;
          if (own && exchanges) continue;
          CollectiveArgs args{static_cast<std::int32_t>(root), kBytes, 1, false, {}};
          if (layout != ListLayout::none) {
            args.bytes = exchanges ? kBytes * size : kBytes * (rank + 1);
            if (!lists_at_root(call) || rank == root) {
              if (layout != ListLayout::from_each) args.lists.to_each = list;
              if (layout != ListLayout::to_each) args.lists.from_each = list;
            }
          }
          const Sums expected = scorep(call, kBytes, rank, size, rank == root, own);
          const Sums found = sums_of(call, args, own, rank, size);
          if (call == Call::Barrier) {
            EXPECT_EQ(found.sent, 0U);
            EXPECT_EQ(found.received, 0U);
            continue;
          }
          EXPECT_EQ(found.sent, expected.sent);
          EXPECT_EQ(found.received, expected.received);
        }
      }
    }
  }
}

/// An archive of one rank that grows call by call; times ascend by 10.
class Program {
 public:
  explicit Program(std::size_t ranks = 1) {
    archive_.source = "a.otf2";
    archive_.of_one_each.push_back(40);
    archive_.communicators.emplace_back(41, Members::all(ranks));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      Log& log = archive_.ranks.emplace_back();
      log.source = "a.otf2 location " + std::to_string(rank);
    }
  }
  Program& call(const std::string& name, const std::vector<Record>& records = {},
                std::size_t rank = 0) {
    auto region = std::ranges::find(archive_.regions, name);
    if (region == archive_.regions.end()) {
      region = archive_.regions.insert(region, name);
    }
    Log& log = archive_.ranks[rank];
    const auto now = static_cast<std::int64_t>(log.calls.size() * 20);
    log.calls.push_back({now, now + 10,
                         static_cast<std::uint32_t>(region - archive_.regions.begin()),
                         static_cast<std::uint32_t>(log.calls.size() + 1),
                         static_cast<std::uint32_t>(log.records.size())});
    log.records.insert(log.records.end(), records.begin(), records.end());
    return *this;
  }
  Trace trace() const { return assemble(archive_, 1); }
  std::string refusal() const {
    try {
      trace();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  Archive& archive() { return archive_; }

 private:
  Archive archive_;
};

constexpr std::uint64_t kWorldId = 41;

Record isend(std::uint64_t request) {
  return {
      .kind = Kind::isend, .peer = 0, .tag = 3, .comm = kWorldId, .bytes = 8, .request = request};
}
Record irecv(std::uint64_t request) {
  return {
      .kind = Kind::irecv, .peer = 0, .tag = 3, .comm = kWorldId, .bytes = 8, .request = request};
}

TEST(Otf2, PersistentOperationsAreWhatTheyStart) {
  const Trace trace =
      Program()
          .call("MPI_Init")
          .call("MPI_Send_init")
          .call("MPI_Startall", {{.kind = Kind::irecv_request, .request = 1}, isend(2)})
          .call("MPI_Waitall", {irecv(1), {.kind = Kind::isend_complete, .request = 2}})
          .call("MPI_Startall", {isend(2)})  // the request is used once more
          .call("MPI_Wait", {{.kind = Kind::isend_complete, .request = 2}})
          .call("MPI_Finalize")
          .trace();
  const RankTrace& rank = trace.ranks[0];
  ASSERT_EQ(rank.events.size(), 7U);
  EXPECT_EQ(rank.events[1].call, Call::Irecv);
  EXPECT_EQ(message_of(rank.events[1]).bytes, 8U);
  EXPECT_EQ(rank.events[2].call, Call::Isend);
  EXPECT_TRUE(std::ranges::equal(requests_of(rank, rank.events[3]), std::vector{1U, 2U}));
  EXPECT_TRUE(std::ranges::equal(requests_of(rank, rank.events[5]), std::vector{4U}));
}

TEST(Otf2, CancelledRequestsCompleteNothingAndSendsMayBeLeftOpen) {
  const Trace trace = Program()
                          .call("MPI_Init")
                          .call("MPI_Irecv", {{.kind = Kind::irecv_request, .request = 1}})
                          .call("MPI_Isend", {isend(2)})
                          .call("MPI_Wait", {{.kind = Kind::cancelled, .request = 1}})
                          .call("MPI_Finalize")
                          .trace();
  const RankTrace& rank = trace.ranks[0];
  EXPECT_EQ(message_of(rank.events[1]).peer, kProcNull);
  EXPECT_EQ(rank.events[4].call, Call::Finalize);  // the graph decides how to treat the send
}

TEST(Otf2, NonBlockingCollectivesAreKnownWhenTheyEnd) {
  Program program(2);
  for (const std::size_t rank : {0U, 1U}) {
    program.call("MPI_Init", {}, rank)
        .call("MPI_Ibcast", {{.kind = Kind::collective_request, .request = 5}}, rank)
        .call("MPI_Wait",
              {{.kind = Kind::collective_complete,
                .peer = 1,
                .comm = kWorldId,
                .bytes = rank == 1 ? 32U : 0U,
                .received = 16,
                .request = 5}},
              rank)
        .call("MPI_Finalize", {}, rank);
  }
  const Trace trace = program.trace();
  for (const RankTrace& rank : trace.ranks) {
    EXPECT_EQ(rank.events[1].call, Call::Ibcast);
    EXPECT_EQ(rank.events[1].bytes, 16U);
    EXPECT_EQ(root_of(rank.events[1]), 1);
  }
}

TEST(Otf2, CommunicatorsOfOneAreOfEachRank) {
  Program program(2);
  for (const std::size_t rank : {0U, 1U}) {
    program.call("MPI_Init", {}, rank)
        .call("MPI_Barrier", {{.kind = Kind::collective, .peer = kNoRoot, .comm = 40}}, rank)
        .call("MPI_Finalize", {}, rank);
  }
  const Trace trace = program.trace();
  EXPECT_EQ(trace.communicators[trace.ranks[1].events[1].comm].group,
            (std::vector<std::int32_t>{1}));
}

TEST(Otf2, WhatDoesNotFitIsNamed) {
  const Record send{.kind = Kind::send, .peer = 0, .comm = kWorldId};
  const auto one = [](const std::string& name, const std::vector<Record>& records) {
    return Program().call("MPI_Init").call(name, records).call("MPI_Finalize").refusal();
  };
  EXPECT_EQ(Program().call("MPI_Finalize").refusal(),
            "a.otf2 location 0:1: MPI_Finalize is not between MPI_Init and MPI_Finalize");
  EXPECT_EQ(Program().call("MPI_Init").refusal(),
            "a.otf2 location 0: has no MPI_Finalize; the trace is not of a whole run");
  EXPECT_EQ(one("MPI_Recv", {send}),
            "a.otf2 location 0:2: MPI_Recv has a message of the other direction");
  EXPECT_EQ(
      one("MPI_Comm_rank", {send}),
      "a.otf2 location 0:2: MPI_Comm_rank has messages or requests, which this call cannot have");
  EXPECT_EQ(one("MPI_Send", {{.kind = Kind::send, .peer = 1, .comm = kWorldId}}),
            "a.otf2 location 0:2: MPI_Send names rank 1 of a communicator of 1, or a tag that is "
            "none");
  EXPECT_EQ(one("MPI_Send", {{.kind = Kind::send, .peer = 0, .comm = 7}}),
            "a.otf2 location 0:2: MPI_Send uses communicator 7, which is not defined");
  EXPECT_EQ(one("MPI_Wait", {irecv(9)}),
            "a.otf2 location 0:2: MPI_Wait completes request 9, which is not pending");
  EXPECT_EQ(one("MPI_Barrier", {}), "a.otf2 location 0:2: MPI_Barrier has no record of its effect");
  EXPECT_EQ(one("MPI_Send", {{.kind = Kind::send, .comm = kWorldId, .bytes = 1ULL << 60}}),
            "a.otf2 location 0:2: MPI_Send moves 1152921504606846976 bytes");
}

TEST(Otf2, CollectivesAreNotCancelled) {
  for (const char* by : {"MPI_Wait", "MPI_Request_free"}) {
    EXPECT_EQ(Program()
                  .call("MPI_Init")
                  .call("MPI_Ibcast", {{.kind = Kind::collective_request, .request = 5}})
                  .call(by, {{.kind = Kind::cancelled, .request = 5}})
                  .call("MPI_Finalize")
                  .refusal(),
              std::string("a.otf2 location 0:3: ") + by + " cancels a collective, which cannot be");
  }
}

TEST(Otf2, InterCommunicatorsAreUnsupported) {
  Program program;
  program.archive().inter_communicators.push_back(50);
  const Trace trace = program.call("MPI_Init")
                          .call("MPI_Send", {{.kind = Kind::send, .peer = 3, .comm = 50}})
                          .call("MPI_Finalize")
                          .trace();
  EXPECT_NE(trace.ranks[0].events[1].flags & kUnsupported, 0);
}

TEST(Otf2, IsFoundByItsAnchor) {
  const auto head = [](const std::string& name) {
    return std::string(name.ends_with(".otf2") ? std::string_view("\3BOTF2\0", 7) : "\3B");
  };
  const auto found = find_trace({"run", {"traces.def", "traces.otf2"}, head});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->format, &kFormat);
  EXPECT_EQ(found->parts, (std::vector<std::string>{"traces.otf2"}));
  EXPECT_FALSE(kFormat.begins("\3BOTF"));
}

}  // namespace
}  // namespace latitude::trace::otf2
