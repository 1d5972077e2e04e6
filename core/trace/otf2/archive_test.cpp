// A program that is written as an archive and read again is the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/temporary_folder_for_tests.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/otf2/format.hpp"

namespace latitude::trace::otf2 {
namespace {

/// A program of `size` ranks that grows call by call; times ascend.
class Program {
 public:
  explicit Program(std::size_t size) {
    trace_.ranks.resize(size);
    trace_.communicators.push_back({Members::all(size)});
    for (std::size_t rank = 0; rank < size; ++rank) {
      trace_.ranks[rank].source = "rank " + std::to_string(rank);
      add(rank, {.call = Call::Init});
    }
  }
  RankTrace& rank(std::size_t rank) { return trace_.ranks[rank]; }
  std::size_t size() const { return trace_.ranks.size(); }
  Trace& trace() { return trace_; }

  std::uint32_t add(std::size_t rank, Event event) {
    std::vector<Event>& events = trace_.ranks[rank].events;
    event.enter_ns = events.empty() ? 0 : events.back().leave_ns + 7;
    event.leave_ns = event.enter_ns + (events.empty() ? 0 : 3);
    event.position = static_cast<std::uint32_t>(events.size() + 1);
    events.push_back(event);
    return static_cast<std::uint32_t>(events.size() - 1);
  }
  void complete(std::size_t rank, const std::vector<std::uint32_t>& ids) {
    Event wait{.call = Call::Waitall};
    set_requests(trace_.ranks[rank], wait, ids);
    add(rank, wait);
  }
  /// Counts the calls, and ends the program.
  const Trace& finish() {
    for (std::size_t rank = 0; rank < size(); ++rank) {
      add(rank, {.call = Call::Finalize});
      RankTrace& own = trace_.ranks[rank];
      for (const Event& event : own.events) own.call_counts.emplace_back(name_of(event.call), 1);
    }
    return trace_;
  }

 private:
  Trace trace_;
};

Trace written_and_read(const Trace& trace) {
  const TemporaryFolder folder;
  kFormat.write(trace, folder.path(), 1);
  return kFormat.read({folder.path() + "/traces.otf2"}, {}, 1);
}

std::string refusal(const Trace& trace) {
  const TemporaryFolder folder;
  try {
    kFormat.write(trace, folder.path(), 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Expects equal traces, with times counted from the end of MPI_Init.
void expect_same(const Trace& expected, const Trace& found) {
  ASSERT_EQ(found.ranks.size(), expected.ranks.size());
  for (std::size_t rank = 0; rank < expected.ranks.size(); ++rank) {
    const RankTrace& a = expected.ranks[rank];
    const RankTrace& b = found.ranks[rank];
    ASSERT_EQ(b.events.size(), a.events.size());
    for (std::size_t i = 1; i < a.events.size(); ++i) {
      const Event& e = a.events[i];
      const Event& f = b.events[i];
      SCOPED_TRACE(testing::Message() << "rank " << rank << ' ' << where(a, e));
      EXPECT_EQ(f.call, e.call);
      EXPECT_EQ(f.enter_ns, e.enter_ns);
      EXPECT_EQ(f.leave_ns, e.leave_ns);
      EXPECT_EQ(f.comm, e.comm);
      EXPECT_EQ(f.flags, e.flags);
      if (class_of(e.call) == CallClass::completion) {
        EXPECT_TRUE(std::ranges::equal(requests_of(a, e), requests_of(b, f)));
        continue;
      }
      EXPECT_EQ(f.bytes, e.bytes);
      EXPECT_EQ(f.peer, e.peer);
      EXPECT_EQ(f.tag == 0 ? 1 : f.tag, e.tag == 0 ? 1 : e.tag);
      const Lists x = collective_of(a, e).lists;
      const Lists y = collective_of(b, f).lists;
      EXPECT_TRUE(std::ranges::equal(x.destinations, y.destinations));
      EXPECT_TRUE(std::ranges::equal(x.sources, y.sources));
      EXPECT_TRUE(std::ranges::equal(x.to_each, y.to_each));
      EXPECT_TRUE(std::ranges::equal(x.from_each, y.from_each));
    }
  }
}

bool can_be_in_place(Call call) {
  const ListLayout layout = list_layout(call);
  return blocking_form(call) != Call::Barrier && blocking_form(call) != Call::Bcast &&
         blocking_form(call) != Call::Exscan && layout != ListLayout::neighbours &&
         layout != ListLayout::neighbours_and_bytes;
}

/// Calls a collective on all ranks, with odd numbers of bytes: 5·(r+1) bytes to and from rank r,
/// and 10·a + b between two.
void call_by_all(Program& program, Call call, std::size_t root, bool in_place) {
  const auto size = static_cast<std::int64_t>(program.size());
  for (std::int64_t rank = 0; rank < size; ++rank) {
    RankTrace& own = program.rank(static_cast<std::size_t>(rank));
    Event event{.call = call};
    if (has_root(call)) set_root(event, static_cast<std::int32_t>(root));
    const bool is_root = static_cast<std::size_t>(rank) == root;
    if (in_place && (!has_root(call) || is_root)) event.flags |= kInPlace;
    if (blocking_form(call) != Call::Barrier) event.bytes = 9;
    if (blocking_form(call) == Call::Allreduce) {
      set_element(event, 3);
      event.flags |= kUserOp;
    }
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> second;
    for (std::int64_t other = 0; other < size; ++other) {
      const bool both = list_layout(call) == ListLayout::both;
      first.push_back(both ? 10 * rank + other : 5 * (other + 1));
      second.push_back(10 * other + rank);
    }
    switch (list_layout(call)) {
      case ListLayout::none:
        break;
      case ListLayout::both:
        event.bytes = 17;
        set_lists(own, event, first, second);
        break;
      case ListLayout::to_each:
      case ListLayout::from_each:
        event.bytes = static_cast<std::uint64_t>(5 * (rank + 1));
        if (!lists_at_root(call) || is_root) set_lists(own, event, first);
        break;
      case ListLayout::neighbours:
        set_list_values(own, event, std::vector<std::int64_t>{1, 2, rank, kProcNull, 0});
        break;
      case ListLayout::neighbours_and_bytes:
        set_list_values(own, event, std::vector<std::int64_t>{1, 1, 0, rank, 8, 3});
        break;
    }
    const std::uint32_t id = program.add(static_cast<std::size_t>(rank), event);
    if (class_of(call) == CallClass::icollective) {
      program.complete(static_cast<std::size_t>(rank), {id});
    }
  }
}

TEST(Otf2Archive, EveryCollectiveByEveryRootInPlaceOrNotIsTheSame) {
  for (std::size_t size = 1; size <= 9; ++size) {
    Program program(size);
    for (std::size_t number = 0; number < kCallCount; ++number) {
      const auto call = static_cast<Call>(number);
      const CallClass kind = class_of(call);
      if (kind != CallClass::collective && kind != CallClass::icollective) continue;
      for (std::size_t root = 0; root < (has_root(call) ? size : 1); ++root) {
        for (const bool in_place : {false, true}) {
          if (!in_place || can_be_in_place(call)) call_by_all(program, call, root, in_place);
        }
      }
    }
    const Trace& trace = program.finish();
    expect_same(trace, written_and_read(trace));
  }
}

TEST(Otf2Archive, MessagesAreTheSameInWhateverOrderTheyComplete) {
  Program program(2);
  const auto message = [](Call call, std::int32_t peer, std::int32_t tag, std::uint64_t bytes) {
    Event event{.call = call};
    set_message(event, {peer, tag, bytes});
    return event;
  };
  const std::uint32_t first = program.add(0, message(Call::Isend, 1, 4, 10));
  const std::uint32_t second = program.add(0, message(Call::Issend, 1, 4, 2000));
  const std::uint32_t nobody = program.add(0, message(Call::Isend, kProcNull, 0, 0));
  program.complete(0, {second, first, nobody});
  program.add(0, message(Call::Bsend, 1, 5, 1));
  const std::uint32_t a = program.add(1, message(Call::Irecv, 0, 4, 10));
  const std::uint32_t b = program.add(1, message(Call::Irecv, 0, 4, 2000));
  program.complete(1, {b, a});
  program.add(1, message(Call::Recv, 0, 5, 1));
  Event both{.call = Call::Sendrecv};
  set_message(both, {1, 6, 8});
  set_received(program.rank(0), both, {1, 7, 16});
  program.add(0, both);
  set_message(both, {0, 7, 16});
  both.args = kNoArgs;
  set_received(program.rank(1), both, {0, 6, 8});
  program.add(1, both);
  Trace expected = program.finish();
  // A message to MPI_PROC_NULL has no record, and its completion has no effect.
  set_requests(expected.ranks[0], expected.ranks[0].events[4], std::vector{second, first});
  expect_same(expected, written_and_read(program.trace()));
}

TEST(Otf2Archive, AReceiveIsAsLongAsItsMessageAndKnowsItsSender) {
  Program program(2);
  Event send{.call = Call::Send};
  set_message(send, {1, 4, 10});
  program.add(0, send);
  Event receive{.call = Call::Recv};
  set_message(receive, {kAnySource, kAnyTag, 4096});
  program.add(1, receive);
  const Trace found = written_and_read(program.finish());
  const Message message = message_of(found.ranks[1].events[1]);
  EXPECT_EQ(message.peer, 0);
  EXPECT_EQ(message.tag, 4);
  EXPECT_EQ(message.bytes, 10U);
}

TEST(Otf2Archive, BothHalvesOfAnIsendrecvAreOperations) {
  Program program(1);
  Event both{.call = Call::Isendrecv};
  set_message(both, {0, 4, 10});
  set_received(program.rank(0), both, {0, 4, 10});
  program.complete(0, {program.add(0, both)});
  const Trace found = written_and_read(program.finish());
  const RankTrace& rank = found.ranks[0];
  ASSERT_EQ(rank.events.size(), 5U);
  EXPECT_EQ(rank.events[1].call, Call::Irecv);
  EXPECT_EQ(rank.events[2].call, Call::Isend);
  EXPECT_EQ(message_of(rank.events[1]).bytes, 10U);
  EXPECT_TRUE(std::ranges::equal(requests_of(rank, rank.events[3]), std::vector{2U, 1U}));
}

TEST(Otf2Archive, WhatNoGraphHasStaysRefused) {
  Program program(1);
  const std::uint32_t odd = program.add(0, {.call = Call::Irecv, .flags = kUnsupported});
  program.complete(0, {odd});
  program.add(0, {.call = Call::Put});
  const Trace found = written_and_read(program.finish());
  EXPECT_EQ(found.ranks[0].events[1].call, Call::Irecv);
  EXPECT_EQ(found.ranks[0].events[1].flags, kUnsupported);
  EXPECT_EQ(found.ranks[0].events[2].call, Call::Put);
}

TEST(Otf2Archive, PersistentOperationsAreWhatTheyStart) {
  Program program(1);
  Event send{.call = Call::Ssend_init};
  set_message(send, {0, 4, 10});
  const std::uint32_t out = program.add(0, send);
  Event receive{.call = Call::Recv_init};
  set_message(receive, {0, 4, 12});
  const std::uint32_t in = program.add(0, receive);
  for (int time = 0; time < 2; ++time) {
    Event start{.call = Call::Startall};
    set_requests(program.rank(0), start, std::vector{in, out});
    program.add(0, start);
    program.complete(0, {out, in});
  }
  const Trace found = written_and_read(program.finish());
  const RankTrace& rank = found.ranks[0];
  ASSERT_EQ(rank.events.size(), 8U);
  for (const std::size_t at : {1U, 4U}) {
    EXPECT_EQ(rank.events[at].call, Call::Irecv);
    EXPECT_EQ(message_of(rank.events[at]).bytes, 10U);
    EXPECT_EQ(rank.events[at + 1].call, Call::Issend);
    EXPECT_EQ(rank.events[at + 2].call, Call::Waitall);
  }
  EXPECT_TRUE(std::ranges::equal(requests_of(rank, rank.events[6]), std::vector{5U, 4U}));
}

TEST(Otf2Archive, CommunicatorsAreMadeOfTheSameParents) {
  Program program(3);
  program.trace().communicators.push_back({{2, 0}});
  for (const std::size_t rank : {0U, 1U, 2U}) {
    Event split{.call = Call::Comm_split};
    set_communicator_made(program.rank(rank), split, rank == 1 ? kCommNull : 1);
    program.add(rank, split);
    if (rank == 1) continue;
    program.add(rank, {.comm = 1, .call = Call::Barrier});
  }
  const Trace found = written_and_read(program.finish());
  EXPECT_EQ(found.communicators[1].group, (std::vector<std::int32_t>{2, 0}));
  EXPECT_EQ(communicator_made(found.ranks[2], found.ranks[2].events[1]), 1);
  EXPECT_EQ(found.ranks[0].events[1].call, Call::Comm_split);
  EXPECT_EQ(found.ranks[0].events[2].comm, 1U);
}

TEST(Otf2Archive, CallPathsAreTheSame) {
  Program program(1);
  program.add(0, {.call = Call::Barrier});
  program.add(0, {.call = Call::Barrier});
  program.finish();
  Trace& trace = program.trace();
  trace.modules.push_back({"/bin/app", ""});
  trace.sites = {{0, kNoSite, 16}, {0, 0, 32}};
  trace.frames = {{{"main", "app.c", 7}}, {{"inner", "app.c", 9}, {"outer", "", 0}}};
  trace.ranks[0].sites = {kNoSite, 1, 0, kNoSite};
  const Trace found = written_and_read(trace);
  const auto names = [&](std::uint32_t site) {
    std::vector<std::string> chain;
    for (; site != kNoSite; site = found.sites[site].caller) {
      EXPECT_EQ(found.sites[site].module, kNoModule);
      const Frame& frame = found.frames[site].at(0);
      chain.push_back(frame.function + ' ' + frame.file + ':' + std::to_string(frame.line));
    }
    return chain;
  };
  const std::vector<std::uint32_t>& sites = found.ranks[0].sites;
  ASSERT_EQ(sites.size(), 4U);
  EXPECT_EQ(names(sites[1]),
            (std::vector<std::string>{"inner app.c:9", "outer :0", "main app.c:7"}));
  EXPECT_EQ(names(sites[2]), (std::vector<std::string>{"main app.c:7"}));
  EXPECT_EQ(sites[3], kNoSite);
}

TEST(Otf2Archive, CallsWithoutEventsAreCounted) {
  Program program(1);
  program.finish();
  program.trace().ranks[0].call_counts.emplace_back("MPI_Comm_rank", 5);
  const Trace found = written_and_read(program.trace());
  std::uint64_t ranks = 0;
  for (const auto& [name, count] : found.ranks[0].call_counts) {
    if (name == "MPI_Comm_rank") ranks += count;
  }
  EXPECT_EQ(ranks, 5U);
}

TEST(Otf2Archive, WhatOtf2HasNoRecordsOfIsRefusedByName) {
  Program init(1);
  init.add(0, {.call = Call::Allreduce_init});
  EXPECT_EQ(refusal(init.finish()),
            "rank 0:2: MPI_Allreduce_init cannot be written as OTF2: the format has no records of "
            "partitioned and of persistent collective calls");
}

}  // namespace
}  // namespace latitude::trace::otf2
