// The events of files in Latitude's own format, one by one.
#include <gtest/gtest.h>

#include "core/trace/event_args.hpp"
#include "core/trace/native/layout.hpp"
#include "core/trace/native/load_for_tests.hpp"
#include "core/trace/polls.hpp"

namespace latitude::trace::native {
namespace {

std::vector<std::int64_t> ids(const RankTrace& rank, const Event& e) {
  const auto values = request_values(rank, e);
  return {values.begin(), values.end()};
}

TEST(NativeCrc, IsThatOfTheStandard) {
  const std::string digits = "123456789";
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(digits.data());
  EXPECT_EQ(crc32c({bytes, 9}), 0xe3069283U);  // RFC 3720 B.4's check value
  EXPECT_EQ(crc32c({bytes + 4, 5}, crc32c({bytes, 4})), 0xe3069283U);
  const std::vector<std::uint8_t> zeros(32);
  EXPECT_EQ(crc32c(zeros), 0x8a9136aaU);
}

TEST(NativeCrc, DoesNotDependOnTheProcessor) {
  std::vector<std::uint8_t> bytes;
  std::uint32_t crc = 7;
  for (unsigned i = 0; i < 1000; ++i) {
    const std::span all(bytes);
    const std::span part = all.subspan(i / 3);  // not aligned
    ASSERT_EQ(crc32c(part, crc), crc32c_by_tables(part, crc)) << i;
    crc = crc32c(all, crc);
    bytes.push_back(static_cast<std::uint8_t>(crc >> 5));
  }
}

TEST(NativeEvents, TimesAreGapsAndDurations) {
  const Trace trace = load({one([](FileWriter& f) {
    f.gap(100).lasts(7).add("MPI_Send", "cptb", Fields().u(0).z(0).z(5).u(64));
    f.gap(1).add("MPI_Recv", "cptbs", Fields().u(0).z(0).z(5).u(80).received(0, 5, 64));
  })});
  EXPECT_EQ(trace.format, "latitude trace");
  ASSERT_EQ(trace.ranks.size(), 1U);
  const std::vector<Event>& events = trace.ranks[0].events;
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].leave_ns, 15);
  EXPECT_EQ(events[1].enter_ns, 115);
  EXPECT_EQ(events[1].leave_ns, 122);
  EXPECT_EQ(events[2].enter_ns, 123);
  EXPECT_EQ(events[1].call, Call::Send);
  EXPECT_EQ(events[1].bytes, 64U);
  EXPECT_EQ(events[1].peer, 0);
  EXPECT_EQ(events[1].tag, 5);
  EXPECT_EQ(events[2].bytes, 80U);
  EXPECT_EQ(events[2].position, 3U);
  EXPECT_EQ(trace.ranks[0].event_count, 4U);
  EXPECT_TRUE(trace.warnings.empty());
}

TEST(NativeEvents, TracersOwnTimeIsNobodys) {
  FileWriter file;
  file.meta(R"({"null_gap_ns": 4, "command": ["a", {"b": null}], "x": "\"}"})").init();
  file.gap(100).add("MPI_Barrier", "c", Fields().u(0));
  file.gap(30).lasts(5000).add("latitude_pause", "");
  file.gap(20).add("MPI_Barrier", "c", Fields().u(0));  // 30 + 20 - 4
  file.gap(3).add("MPI_Barrier", "c", Fields().u(0));   // not below 0
  file.gap(40).lasts(9).add("MPI_Cancel", "");          // local: computation, including its
                                                        // duration
  file.gap(2).add("MPI_Barrier", "c", Fields().u(0));
  const Trace trace = load({whole(file)});
  const std::vector<Event>& e = trace.ranks[0].events;
  ASSERT_EQ(e.size(), 6U);
  EXPECT_EQ(e[1].enter_ns - e[0].leave_ns, 96);
  EXPECT_EQ(e[2].enter_ns - e[1].leave_ns, 46);
  EXPECT_EQ(e[3].enter_ns - e[2].leave_ns, 0);
  EXPECT_EQ(e[4].enter_ns - e[3].leave_ns, 40 + 9 + 2 - 4);
  EXPECT_EQ(e[2].position, 4U);  // the pause is record 3
}

TEST(NativeEvents, ClockIsChosen) {
  FileWriter file(0, 1, 1);
  file.meta(R"({"null_gap_ns":5,"null_cpu_gap_ns":2,"cores":2,"ranks_on_host":8,"host":"n1"})");
  file.init().gap(100).cpu(30).lasts(50).add("MPI_Barrier", "c", Fields().u(0));
  const std::string bytes = whole(file);
  for (const Clock clock : {Clock::automatic, Clock::cpu}) {
    const Trace trace = load({bytes}, clock);
    EXPECT_EQ(trace.ranks[0].events[1].enter_ns - trace.ranks[0].events[0].leave_ns, 28);
    EXPECT_EQ(trace.ranks[0].events[1].leave_ns - trace.ranks[0].events[1].enter_ns, 50);
    ASSERT_NE(warning(trace, "cpu-clock"), nullptr);
    EXPECT_NE(warning(trace, "cpu-clock")->message.find("8 ranks shared 2 cores of n1"),
              std::string::npos);
    EXPECT_EQ(warning(trace, "wall-clock-crowded"), nullptr);
  }
  const Trace trace = load({bytes}, Clock::wall);
  EXPECT_EQ(trace.ranks[0].events[1].enter_ns - trace.ranks[0].events[0].leave_ns, 95);
  EXPECT_NE(warning(trace, "wall-clock-crowded"), nullptr);
  EXPECT_EQ(warning(trace, "cpu-clock"), nullptr);
}

TEST(NativeEvents, RequestsAreTheEventsThatMadeThem) {
  const Trace trace = load({one([](FileWriter& f) {
    f.add("MPI_Irecv", "cptbq", Fields().u(0).z(0).z(1).u(8).request(1));
    f.add("MPI_Isend", "cptbq", Fields().u(0).z(0).z(1).u(8).request(2)).flush();
    f.add("MPI_Waitall", "Q", Fields().u(2).request(2).as_asked().request(1).as_asked());
    f.add("MPI_Iallreduce", "cpbefq", Fields().u(0).z(-2).u(8).u(4).u(1).request(1));
    f.add("MPI_Test", "Q", Fields().u(1).request(1).as_asked());
    f.add("MPI_Wait", "Q", Fields().u(0));
    f.add("MPI_Isend", "cptbq", Fields().u(0).z(-2).z(-1).u(8).request(3));
    f.add("MPI_Request_free", "R", Fields().u(1).request(3));
  })});
  const RankTrace& rank = trace.ranks[0];
  EXPECT_EQ(ids(rank, rank.events[3]), (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(rank.events[4].flags, kUserOp);
  EXPECT_EQ(rank.events[4].tag, 4);
  EXPECT_EQ(ids(rank, rank.events[5]), (std::vector<std::int64_t>{4}));
  EXPECT_TRUE(ids(rank, rank.events[6]).empty());
  EXPECT_EQ(ids(rank, rank.events[8]), (std::vector<std::int64_t>{7}));
}

TEST(NativeEvents, WildcardsAreWhatTheStatusSays) {
  const Trace trace = load({one([](FileWriter& f) {
    f.add("MPI_Recv", "cptbs", Fields().u(0).z(-1).z(-1).u(8).received(0, 7, 4));
    f.add("MPI_Irecv", "cptbq", Fields().u(0).z(-1).z(3).u(8).request(1));
    f.add("MPI_Wait", "Q", Fields().u(1).request(1).received(0, 3, 8));
    f.add("MPI_Sendrecv", "cptbptbs",
          Fields().u(0).z(0).z(1).u(8).z(-1).z(-1).u(16).received(0, 1, 8));
    f.add("MPI_Mprobe", "cptbs", Fields().u(0).z(-1).z(-1).u(24).received(0, 2, 24));
    f.add("MPI_Irecv", "cptbq", Fields().u(0).z(0).z(3).u(8).request(2));
    f.add("MPI_Wait", "Q", Fields().u(1).request(2).received(0, 3, 4));  // only shorter
    f.add("MPI_Irecv", "cptbq", Fields().u(0).z(-1).z(3).u(8).request(3));
    f.add("MPI_Wait", "Q", Fields().u(1).request(3).cancelled());
  })});
  const RankTrace& rank = trace.ranks[0];
  EXPECT_EQ(rank.events[1].peer, 0);
  EXPECT_EQ(rank.events[1].tag, 7);
  EXPECT_EQ(rank.events[2].peer, 0);
  EXPECT_EQ(rank.events[2].tag, 3);
  const Message received = received_by(rank, rank.events[4]);
  EXPECT_EQ(received.peer, 0);
  EXPECT_EQ(received.tag, 1);
  EXPECT_EQ(received.bytes, 16U);
  EXPECT_EQ(class_of(rank.events[5].call), CallClass::recv);
  EXPECT_EQ(rank.events[5].bytes, 24U);
  EXPECT_EQ(rank.events[8].peer, kProcNull);
  ASSERT_NE(warning(trace, "wildcard-matches"), nullptr);
  EXPECT_EQ(warning(trace, "wildcard-matches")->message.substr(0, 2), "4 ");
}

TEST(NativeEvents, PersistentWildcardsAreResolvedForEachStart) {
  const Trace trace = load({one([](FileWriter& f) {
    f.comm(1, 0, 1, {0});
    f.add("MPI_Recv_init", "cptbq", Fields().u(1).z(-1).z(-1).u(8).request(1));
    f.add("MPI_Send_init", "cptbq", Fields().u(1).z(0).z(4).u(8).request(2));
    for (const std::int64_t tag : {4, 5}) {
      f.add("MPI_Startall", "R", Fields().u(2).request(1).request(2));
      f.add("MPI_Waitall", "Q", Fields().u(2).request(1).received(0, tag, 8).request(2).as_asked());
    }
    f.add("MPI_Start", "R", Fields().u(1).request(1));
    f.add("MPI_Wait", "Q", Fields().u(1).request(1).cancelled());
  })});
  const RankTrace& rank = trace.ranks[0];
  const auto pairs = [&](std::size_t event) {
    const Event& start = rank.events[event];
    std::vector<std::int64_t> values;
    for (std::size_t slot = 0; slot < requests_of(rank, start).size(); ++slot) {
      const Message message = started(rank, start, slot).message;
      values.insert(values.end(), {message.peer, message.tag});
    }
    return values;
  };
  EXPECT_EQ(rank.events[1].peer, kAnySource);
  EXPECT_EQ(rank.events[3].flags, kResolved);
  EXPECT_EQ(ids(rank, rank.events[3]), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(pairs(3), (std::vector<std::int64_t>{0, 4, 0, 4}));
  EXPECT_EQ(pairs(5), (std::vector<std::int64_t>{0, 5, 0, 4}));
  EXPECT_EQ(pairs(7)[0], kProcNull);
}

TEST(NativeEvents, CommunicatorsAreOneAcrossFiles) {
  std::vector<std::string> files;
  for (std::uint32_t r = 0; r < 4; ++r) {
    FileWriter f(r, 4);
    f.init();
    f.comm(1, r, 1, {static_cast<std::int32_t>(r)});  // MPI_COMM_SELF
    const std::vector<std::int32_t> even{0, 2};
    const std::vector<std::int32_t> odd{3, 1};
    if (r % 2 == 0) {
      f.strided(2, 0, 2, 2, 0, 2);
    } else {
      f.comm(2, 3, 2, odd);
    }
    f.add("MPI_Comm_split", "cN", Fields().u(0).u(3));
    f.add("MPI_Barrier", "c", Fields().u(2));
    f.add("MPI_Barrier", "c", Fields().u(1));
    f.add("MPI_Comm_split", "cN", Fields().u(0).u(0));
    files.push_back(whole(std::move(f)));
  }
  const Trace trace = load(files);
  const auto group = [&](std::size_t rank, std::size_t event) {
    return trace.communicators[trace.ranks[rank].events[event].comm].group;
  };
  EXPECT_EQ(trace.communicators.size(), 1U + 4 + 2);
  EXPECT_EQ(group(0, 1), (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(group(0, 2), (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(group(1, 2), (std::vector<std::int32_t>{3, 1}));
  EXPECT_EQ(group(2, 3), (std::vector<std::int32_t>{2}));
  EXPECT_EQ(trace.ranks[0].events[2].comm, trace.ranks[2].events[2].comm);
  const RankTrace& rank = trace.ranks[1];
  EXPECT_EQ(communicator_made(rank, rank.events[1]), rank.events[2].comm);
  EXPECT_EQ(communicator_made(rank, rank.events[4]), kCommNull);
}

TEST(NativeEvents, CommunicatorsOfTheSameRanksShareTheirList) {
  const Trace trace = load({one([](FileWriter& f) {
    f.comm(1, 0, 0, {0}).comm(2, 0, 1, {0}).strided(3, 0, 2, 1, 0, 1).strided(4, 0, 3, 1, 0, 1);
  })});
  const auto list = [&](std::size_t comm) { return &trace.communicators[comm].group.ranks(); };
  EXPECT_EQ(list(1), list(2));
  EXPECT_EQ(list(3), list(4));
}

TEST(NativeEvents, OtherKindsOfCommunicatorsAreForTheGraphToRefuse) {
  const Trace trace = load({one([](FileWriter& f) {
    f.comm(1, 0, 0, {0}, 1).comm(2, 0, 0, {-1, -1}, 2);
    f.add("MPI_Isend", "cptbq", Fields().u(1).z(77).z(0).u(8).request(1));
    f.add("MPI_Wait", "Q", Fields().u(1).request(1).as_asked());
    f.add("MPI_Alltoallv", "cpbefL", Fields().u(2).z(-3).u(8).u(1).u(0).list({1, 2, 3}));
  })});
  EXPECT_EQ(trace.ranks[0].events[1].flags, kUnsupported);
  EXPECT_EQ(trace.ranks[0].events[1].comm, kWorld);
  EXPECT_EQ(trace.ranks[0].events[3].flags, kUnsupported);
  EXPECT_EQ(trace.ranks[0].events[3].args, kNoArgs);
}

TEST(NativeEvents, ListsOfVariableCollectives) {
  const Trace trace = load({one([](FileWriter& f) {
    f.add("MPI_Gatherv", "cpbefL", Fields().u(0).z(0).u(8).u(1).u(0).list({1, 8}));
    f.add("MPI_Ialltoallv", "cpbefLq",
          Fields().u(0).z(-2).u(8).u(1).u(2).list({1, 8, 9}).request(1));
    f.add("MPI_Wait", "Q", Fields().u(1).request(1).as_asked());
    f.add("MPI_Neighbor_alltoallv", "cpbefL",
          Fields().u(0).z(-2).u(8).u(1).u(0).list({1, 2, 0, -2, 0, 5, 6, 7}));
  })});
  const RankTrace& rank = trace.ranks[0];
  EXPECT_EQ(collective_of(rank, rank.events[1]).lists.from_each[0], 8);
  EXPECT_EQ(collective_of(rank, rank.events[2]).lists.from_each[0], 9);
  EXPECT_EQ(rank.events[2].flags, kInPlace);
  const Lists neighbours = collective_of(rank, rank.events[4]).lists;
  EXPECT_EQ(neighbours.destinations[0], 0);
  EXPECT_EQ(neighbours.sources[0], kProcNull);
  EXPECT_EQ(neighbours.from_each[1], 7);
}

TEST(NativeEvents, ElementsMayHaveAnySize) {
  constexpr std::uint64_t kElement = std::uint64_t{1} << 44;
  const Trace trace = load({one([](FileWriter& f) {
    f.add("MPI_Allreduce", "cpbef", Fields().u(0).z(-2).u(0).u(kElement).u(0));
    f.add("MPI_Allreduce", "cpbef", Fields().u(0).z(-2).u(3 * kElement).u(kElement).u(0));
  })});
  const RankTrace& rank = trace.ranks[0];
  EXPECT_EQ(rank.events[1].bytes, 0U);
  EXPECT_EQ(collective_of(rank, rank.events[2]).element, kElement);
}

TEST(NativeEvents, SitesAreSharedByAllRanks) {
  std::vector<std::string> files;
  for (std::uint32_t r = 0; r < 2; ++r) {
    const std::uint64_t base = 0x1000 * (r + 1);  // address at which this process has loaded the
                                                  // program
    FileWriter f(r, 2);
    f.modules({{base, base + 0x800, base}, {0x9000, 0xa000, 0x8000}}, {"app", "lib.so"});
    f.sites({base + 0x10, 0x9004, 0x5}).init();
    for (const std::uint64_t site : {1U, 2U, 3U, 0U}) {
      f.site(site).add("MPI_Barrier", "c", Fields().u(0));
    }
    f.modules({{base, base + 0x800, base - 0x100}}, {"other"}).sites({base + 0x10});
    f.site(4).add("MPI_Barrier", "c", Fields().u(0));
    files.push_back(whole(std::move(f)));
  }
  const Trace trace = load(files);
  ASSERT_EQ(trace.modules.size(), 3U);
  EXPECT_EQ(trace.modules[1].path, "lib.so");
  EXPECT_EQ(trace.modules[1].build_id, "b1");
  ASSERT_EQ(trace.sites.size(), 3U);
  EXPECT_EQ(trace.sites[0].offset, 0x10U);
  EXPECT_EQ(trace.sites[1].offset, 0x1004U);
  EXPECT_EQ(trace.sites[2].offset, 0x110U);
  EXPECT_EQ(trace.sites[2].module, 2U);
  const std::vector<std::uint32_t> expected{kNoSite, 0, 1, kNoSite, kNoSite, 2, kNoSite};
  EXPECT_EQ(trace.ranks[0].sites, expected);
  EXPECT_EQ(trace.ranks[1].sites, expected);
}

TEST(NativeEvents, ASiteIsAnotherForEachOfItsCallers) {
  std::vector<std::string> files;
  for (std::uint32_t r = 0; r < 2; ++r) {
    FileWriter f(r, 2, 0, 7, kVersionWithCallers);
    f.modules({{0x1000, 0x2000, 0x1000}}, {"app"});
    // main; two of its calls, of which rank 1 made the second first; their common callee; code
    // outside all files, which the last one calls.
    const std::uint64_t first = 0x1020 + 0x10 * r;
    const std::uint64_t second = 0x1030 - 0x10 * r;
    f.called_sites({{0x1010, 0}, {first, 1}, {second, 1}, {0x1040, 2}, {0x1040, 3}, {0x5, 5}});
    f.init();
    for (const std::uint64_t site : {4U, 5U, 6U}) {
      f.site(site).add("MPI_Barrier", "c", Fields().u(0));
    }
    files.push_back(whole(std::move(f)));
  }
  const Trace trace = load(files);
  ASSERT_EQ(trace.sites.size(), 5U);
  const auto path = [&](std::size_t rank, std::size_t event) {
    std::vector<std::uint64_t> offsets;
    for (std::uint32_t site = trace.ranks[rank].sites[event]; site != kNoSite;
         site = trace.sites[site].caller) {
      offsets.push_back(trace.sites[site].offset);
    }
    return offsets;
  };
  EXPECT_EQ(path(0, 1), (std::vector<std::uint64_t>{0x40, 0x20, 0x10}));
  EXPECT_EQ(path(0, 2), (std::vector<std::uint64_t>{0x40, 0x30, 0x10}));
  EXPECT_EQ(path(0, 3), path(0, 2));
  EXPECT_EQ(path(1, 1), path(0, 2));
  EXPECT_EQ(path(1, 2), path(0, 1));
}

TEST(NativeEvents, WhereTheWallTimeWent) {
  const auto wall = [](std::uint32_t flags, Clock clock) {
    FileWriter f(0, 1, flags);
    f.meta(R"({"null_gap_ns": 4, "null_cpu_gap_ns": 1, "host": "a"})").init();
    f.gap(100).cpu(30).add("MPI_Barrier", "c", Fields().u(0));
    f.gap(40).cpu(40).lasts(7).add("latitude_pause", "");
    f.lasts(1000).finalize();
    const Trace trace = load({f.end().file()}, clock);
    EXPECT_TRUE(trace.one_wall_clock);
    return *trace.ranks[0].wall;
  };
  const WallTimes plain = wall(0, Clock::automatic);
  EXPECT_EQ(plain.begin_ns, 15);
  EXPECT_EQ(plain.end_ns - plain.begin_ns, 100 + 5 + 40 + 7 + 10);  // without MPI_Finalize itself
  EXPECT_EQ(plain.computing_ns, 96 + 46);
  EXPECT_EQ(plain.calls_ns, 5);
  EXPECT_EQ(plain.tracer_ns, 4 + 7 + 4);
  EXPECT_EQ(plain.without_core_ns(), 0);
  const WallTimes cpu = wall(1, Clock::cpu);
  EXPECT_EQ(cpu.end_ns, plain.end_ns);
  EXPECT_EQ(cpu.computing_ns, 29 + 42);
  EXPECT_EQ(cpu.calls_ns, 5);
  EXPECT_EQ(cpu.tracer_ns, plain.tracer_ns);
  EXPECT_EQ(cpu.without_core_ns(), 71);
}

TEST(NativeEvents, PollsThatFailed) {
  FileWriter file;
  file.meta(R"({"null_gap_ns": 4})").init();
  file.gap(30).polls(3).gap(100).add("MPI_Test", "Q", Fields().u(0));
  file.gap(20).polls(1, true).gap(50).add("MPI_Barrier", "c", Fields().u(0));
  file.gap(7).add("MPI_Barrier", "c", Fields().u(0)).poll_takes(25);
  const Trace trace = load({whole(file)});
  const std::vector<Event>& e = trace.ranks[0].events;
  ASSERT_EQ(e.size(), 7U);
  EXPECT_EQ(e[1].call, Call::Test);
  EXPECT_TRUE(of_polls(e[1]));
  EXPECT_EQ(polls_of(e[1]).count, 3U);
  EXPECT_EQ(polls_of(e[1]).each_ns, 25);
  EXPECT_FALSE(polls_of(e[1]).found);
  EXPECT_EQ(e[1].enter_ns - e[0].leave_ns, 30 - 4);  // the tracer's own time counts once in a gap
  EXPECT_EQ(e[1].leave_ns, e[1].enter_ns);
  EXPECT_EQ(e[2].enter_ns - e[1].leave_ns, 100);
  EXPECT_FALSE(of_polls(e[2]));
  EXPECT_TRUE(polls_of(e[3]).found);
  EXPECT_EQ(e[4].enter_ns - e[2].leave_ns, 70 - 4);
  EXPECT_EQ(e[5].enter_ns - e[4].leave_ns, 7 - 4);
}

/// A gap in which the thread slept and waited for a core, in the form that the tracer writes in
/// each mode.
std::string absent(std::uint32_t flags, std::uint64_t known) {
  FileWriter f(0, 1, flags);
  f.meta(R"({"null_gap_ns": 4, "null_cpu_gap_ns": 1, "host": "a"})");
  f.usage({100, 50, 7, 0, 1, 1, known}).init();
  f.gap(1000).cpu(300).lasts(60).add("latitude_absence", "w", Fields().u(700).u(known * 501));
  f.gap(0).cpu(0).add("MPI_Barrier", "c", Fields().u(0));
  f.usage({2100, 1250, 9, 1, 4, 9, known * 601});
  return whole(f);
}

TEST(NativeEvents, WaitingForACoreIsNoComputation) {
  const auto gap = [](std::uint32_t flags, std::uint64_t known, Clock clock) {
    const Trace trace = load({absent(flags, known)}, clock);
    const std::vector<Event>& e = trace.ranks[0].events;
    return e[1].enter_ns - e[0].leave_ns;
  };
  EXPECT_EQ(gap(0, 1, Clock::automatic), 1000 - 500 - 4);  // 500 ns without a core, 200 asleep
  EXPECT_EQ(gap(1, 1, Clock::automatic), 300 + 200 - 1);
  EXPECT_EQ(gap(0, 1, Clock::wall), 996);
  EXPECT_EQ(gap(1, 1, Clock::wall), 996);
  EXPECT_EQ(gap(1, 1, Clock::cpu), 299);
  EXPECT_EQ(gap(0, 0, Clock::automatic), 996);  // the kernel recorded nothing
  EXPECT_EQ(gap(1, 0, Clock::automatic), 299);
}

TEST(NativeEvents, AMachineThatIsNotQuiet) {
  const Trace trace = load({absent(0, 1)});
  EXPECT_EQ(trace.ranks[0].wall.value().without_core_ns(), 500);
  const CoreTimes& cores = trace.ranks[0].cores.value();
  EXPECT_EQ(cores.wall_ns, 2000);
  EXPECT_EQ(cores.cpu_ns, 1200);
  EXPECT_EQ(cores.process_ns, 3000);
  EXPECT_EQ(cores.waited_ns, 600);
  EXPECT_EQ(cores.voluntary, 3);
  EXPECT_EQ(cores.involuntary, 8);
  ASSERT_NE(warning(trace, "without-core"), nullptr);
  EXPECT_EQ(warning(trace, "without-core")->message,
            "ranks were without a core for 30% of the run, rank 0 for 30%: other programs ran on "
            "their cores; computation is measured without that time");
  const Trace by_wall = load({absent(0, 1)}, Clock::wall);
  EXPECT_EQ(by_wall.ranks[0].wall.value().without_core_ns(), 0);
  EXPECT_TRUE(warning(by_wall, "without-core")->message.ends_with("computation holds that time"));
  // The kernel recorded nothing, but a thread that lost its core more often than it gave it up did
  // not sleep.
  const Trace untold = load({absent(0, 0)});
  EXPECT_NE(warning(untold, "without-core")->message.find("for 40%"), std::string::npos);
  EXPECT_TRUE(warning(untold, "without-core")->message.ends_with("computation holds that time"));
}

TEST(NativeEvents, SleepIsNoNoise) {
  FileWriter f;
  f.usage({100, 50, 7, 0, 1, 1, 0}).init().usage({2100, 450, 9, 1, 8, 2, 0});
  EXPECT_EQ(warning(load({whole(f)}), "without-core"), nullptr);
  FileWriter told;
  told.usage({100, 50, 7, 0, 1, 1, 1}).init().usage({2100, 450, 9, 1, 8, 2, 99});
  EXPECT_EQ(warning(load({whole(told)}), "without-core"), nullptr);
}

TEST(NativeEvents, ThreadsAreMergedByTheTimeTheyEnter) {
  FileWriter f;
  f.init();                                           // thread 0: leaves at 15
  f.gap(100).add("MPI_Barrier", "c", Fields().u(0));  // enters at 115
  f.thread(3, 40).gap(10).add("MPI_Isend", "cptbq", Fields().u(0).z(0).z(0).u(8).request(1));
  f.gap(70).lasts(20).add("MPI_Probe", "cpts", Fields().u(0).z(0).z(0).as_asked());  // 125…145
  f.thread(0).gap(100).add("MPI_Recv", "cptbs", Fields().u(0).z(0).z(0).u(8).as_asked());
  f.add("MPI_Wait", "Q", Fields().u(1).request(1).as_asked());
  const Trace trace = load({whole(f)});
  const RankTrace& rank = trace.ranks[0];
  std::vector<Call> calls;
  for (const Event& e : rank.events) calls.push_back(e.call);
  EXPECT_EQ(calls, (std::vector<Call>{Call::Init, Call::Isend, Call::Barrier, Call::Probe,
                                      Call::Recv, Call::Wait, Call::Finalize}));
  EXPECT_EQ(rank.threads, (std::vector<std::uint16_t>{0, 3, 0, 3, 0, 0, 0}));
  EXPECT_EQ(rank.events[1].enter_ns, 50);
  EXPECT_EQ(ids(rank, rank.events[5]), (std::vector<std::int64_t>{1}));
}

}  // namespace
}  // namespace latitude::trace::native
