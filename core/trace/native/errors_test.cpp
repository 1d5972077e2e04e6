// Every error in a file: one line that names the file, the byte and the remedy.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "core/trace/native/layout.hpp"
#include "core/trace/native/load_for_tests.hpp"

namespace latitude::trace::native {
namespace {

using Events = std::function<void(FileWriter&)>;

/// The place of the payload of the `n`-th chunk.
std::size_t payload(const std::string& file, int n) {
  std::size_t at = 32;
  for (; n > 0; --n) {
    std::uint32_t bytes;
    std::memcpy(&bytes, file.data() + at + 8, 4);
    at += 32 + bytes;
  }
  return at + 32;
}

TEST(NativeErrors, Header) {
  const std::string good = one([](FileWriter&) {});
  EXPECT_EQ(error_of({good}), "");
  const auto with = [&](std::size_t at, char value) {
    std::string bad = good;
    bad[at] = value;
    return error_of({bad});
  };
  EXPECT_EQ(with(0, 'X'),
            "r0.lat: byte 0: does not begin with LATITUDE; this is not a file that latitude trace "
            "wrote");
  EXPECT_EQ(with(8, 3),
            "r0.lat: byte 8: is in version 3 of the trace format; this latitude knows versions 1 "
            "and 2, use the one that traced the program");
  EXPECT_EQ(with(10, 40).substr(0, 52), "r0.lat: byte 10: gives a header of 40 bytes instead ");
  EXPECT_EQ(with(12, 9).substr(0, 33), "r0.lat: byte 12: is rank 9 of 1; ");
  EXPECT_EQ(with(16, 2),
            "r0.lat: byte 16: is of a run of 2 ranks, and there are 1 files; give the files of all "
            "ranks of one run");
  EXPECT_EQ(with(20, 6).substr(0, 65),
            "r0.lat: byte 20: has flags this latitude does not know (6); use t");
}

TEST(NativeErrors, Absences) {
  const auto absence = [](std::uint64_t gap, std::uint64_t away, std::uint64_t waited) {
    return error_of({one([&](FileWriter& f) {
      f.gap(gap).add("latitude_absence", "w", Fields().u(away).u(waited));
    })});
  };
  EXPECT_EQ(absence(10, 10, 11), "");
  EXPECT_NE(absence(10, 11, 0).find("is longer than the gap that it is in"), std::string::npos);
  EXPECT_NE(absence(10, 5, 7).find("is longer than the gap that it is in"), std::string::npos);
}

TEST(NativeErrors, Polls) {
  const auto polls = [](std::uint64_t number, std::uint64_t lasts) {
    return error_of({one(
        [&](FileWriter& f) { f.lasts(lasts).add("latitude_polls", "n", Fields().u(number)); })});
  };
  EXPECT_EQ(polls(2, 0), "");
  EXPECT_NE(polls(1, 0).find("is not a valid number of"), std::string::npos);
  EXPECT_NE(polls(2, 1).find("is not a valid number of"), std::string::npos);
  EXPECT_NE(polls(std::uint64_t{1} << 40, 0).find("is not a valid number of"), std::string::npos);
}

TEST(NativeErrors, UsageAscends) {
  const auto used = [](std::uint64_t cpu, std::uint64_t waited) {
    return error_of({one([&](FileWriter& f) {
      f.usage({100, 50, 7, 0, 1, 1, 5}).usage({200, cpu, 7, 0, 1, 1, waited});
    })});
  };
  EXPECT_EQ(used(50, 5), "");
  EXPECT_NE(used(49, 5).find("a process has used less than before"), std::string::npos);
  EXPECT_NE(used(50, 4).find("a process has used less than before"), std::string::npos);
  EXPECT_NE(used(std::uint64_t{1} << 61, 5).find("36 years"), std::string::npos);
}

TEST(NativeErrors, FilesThatDoNotBelongTogether) {
  const auto file = [](std::uint32_t rank, std::uint64_t run) {
    return whole(FileWriter(rank, 2, 0, run).init());
  };
  EXPECT_EQ(error_of({file(0, 1), file(1, 1)}), "");
  EXPECT_EQ(error_of({file(1, 1), file(0, 1)}),
            "r0.lat: byte 12: is rank 1, its name says rank 0; give the file its own name back");
  EXPECT_EQ(error_of({file(0, 1), file(1, 2)}),
            "r1.lat: byte 24: is of another run than r0.lat; give the files of one run only");
  EXPECT_EQ(error_of({}), "no trace files; give the rank-*.lat files of one run");
  const auto with_comm = [](std::uint32_t rank, const std::vector<std::int32_t>& group) {
    return whole(FileWriter(rank, 2).init().comm(1, 0, 1, group));
  };
  EXPECT_EQ(error_of({with_comm(0, {0, 1}), with_comm(1, {0, 1})}), "");
  const std::string message = error_of({with_comm(0, {0, 1}), with_comm(1, {1, 0})});
  EXPECT_EQ(message.rfind("r1.lat: byte ", 0), 0U);
  EXPECT_NE(message.find("other members for the communicator that rank 0 leads"),
            std::string::npos);
}

TEST(NativeErrors, Callers) {
  const auto error_with = [](const std::vector<std::pair<std::uint64_t, std::uint64_t>>& sites) {
    FileWriter writer(0, 1, 0, 7, kVersionWithCallers);
    return error_of({whole(std::move(writer.called_sites(sites).init()))});
  };
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sites;
  for (std::uint64_t number = 0; number <= 64; ++number) sites.emplace_back(0x1000, number);
  EXPECT_EQ(error_with(sites), "");
  sites.emplace_back(0x1000, 65);
  EXPECT_NE(error_with(sites).find("has more callers than the 64"), std::string::npos);
  sites.back().second = 66;  // its own caller
  EXPECT_NE(error_with(sites).find("names caller 66 of 65"), std::string::npos);
}

TEST(NativeErrors, Chunks) {
  FileWriter writer;
  const std::string good = writer.init().finalize().end().file();
  const std::size_t calls = payload(good, 0) - 32;
  const auto with = [&](std::size_t at, char value) {
    std::string bad = good;
    bad[at] = value;
    return error_of({bad});
  };
  EXPECT_EQ(with(calls, 'X'), "r0.lat: byte " + std::to_string(calls) +
                                  ": no chunk begins here (LTCK is missing); the file is damaged, "
                                  "copy it or trace the program again");
  EXPECT_EQ(with(calls + 4, 77).substr(0, 41), "r0.lat: byte 36: is a chunk of kind 77, w");
  EXPECT_EQ(with(calls + 24, 1).substr(0, 56),
            "r0.lat: byte 56: is chunk 1 where chunk 0 should be; the");
  EXPECT_EQ(with(calls + 33, 'X'),
            "r0.lat: byte 32: the chunk's checksum is wrong; the file is damaged, copy it or trace "
            "the program again");
  EXPECT_EQ(with(calls + 28, 'X').substr(0, 47), "r0.lat: byte 32: the chunk's checksum is wrong;");
  EXPECT_NE(error_of({good + good.substr(32)}).find("goes on after its end chunk"),
            std::string::npos);
}

TEST(NativeErrors, PayloadsThatAreNoRecords) {
  const auto chunk = [](std::uint16_t kind, std::uint32_t records, const Encoder& payload) {
    return error_of({FileWriter().init().chunk(kind, records, payload.bytes()).end().file()});
  };
  const auto has = [](const std::string& message, const char* text) {
    return message.rfind("r0.lat: byte ", 0) == 0 && message.find(text) != std::string::npos;
  };
  EXPECT_TRUE(has(chunk(1, 1, Encoder().string("{")), "not a valid JSON object"));
  EXPECT_TRUE(has(chunk(1, 1, Encoder().string(R"({"cores": -1})")), "not a valid JSON object"));
  EXPECT_TRUE(has(chunk(1, 1, Encoder().varint(9).raw("ab")), "a string reaches past the end"));
  EXPECT_TRUE(has(chunk(4, 1, Encoder().raw("\xff")), "a number reaches past the end"));
  EXPECT_TRUE(has(chunk(4, 1, Encoder().raw(std::string(9, '\xff') + "\x7f")), "64 bits"));
  EXPECT_TRUE(has(chunk(4, 1, Encoder().varint(1).varint(2)), "longer than its records"));
  EXPECT_TRUE(has(chunk(2, 1, Encoder().string("MPI_F\no").string("c")), "an invalid name"));
  EXPECT_TRUE(has(chunk(1, 1, Encoder().string("{\"host\": \"a\nb\"}")), "not a valid JSON"));
  EXPECT_TRUE(has(chunk(2, 1, Encoder().string("MPI_Foo").string("cx")), "has fields 'cx'"));
  EXPECT_TRUE(has(chunk(2, 1, Encoder().string("MPI_Send").string("cpt")), "reads 'cptb'"));
  EXPECT_TRUE(has(chunk(3, 1, Encoder().varint(5).varint(5).varint(0).string("").string("")),
                  "invalid addresses"));
  const auto comm = [&](std::uint64_t kind, std::uint64_t size, std::uint64_t form,
                        const std::vector<std::int64_t>& values) {
    Encoder out;
    out.varint(1).varint(0).varint(1).varint(kind).varint(size).varint(form);
    for (const std::int64_t value : values) out.zigzag(value);
    return chunk(5, 1, out);
  };
  EXPECT_NE(comm(0, 1, 0, {0, 1}).find("without MPI_Finalize"),
            std::string::npos);  // the communicator is right
  EXPECT_TRUE(has(comm(3, 1, 0, {0, 1}), "unknown kind 3"));
  EXPECT_TRUE(has(comm(0, 2, 0, {0, 1}), "more members than MPI_COMM_WORLD"));
  EXPECT_TRUE(has(comm(0, 1, 0, {1, 1}), "that MPI_COMM_WORLD lacks"));
  EXPECT_TRUE(has(comm(0, 1, 1, {-2}), "out of range"));
  EXPECT_TRUE(has(comm(0, 1, 1, {-1}), "that MPI_COMM_WORLD lacks"));
  EXPECT_TRUE(has(comm(0, 1, 2, {0}), "unknown form 2"));
  EXPECT_TRUE(has(comm(0, 0, 1, {}), "does not have it as a member"));
  EXPECT_TRUE(has(error_of({FileWriter().init().chunk(7, 1, Encoder().varint(3).bytes()).file()}),
                  "ended in unknown way 3"));
  EXPECT_NE(error_of({FileWriter().init().comm(1, 0, 1, {0}).comm(1, 0, 2, {0}).end().file()})
                .find("communicator 1 is described twice"),
            std::string::npos);
}

struct Wrong {
  const char* says;
  Events events;
};

TEST(NativeErrors, Events) {
  const Wrong cases[] = {
      {"MPI_Barrier (record 2) names communicator 9, which nothing before it describes",
       [](FileWriter& f) { f.add("MPI_Barrier", "c", Fields().u(9)); }},
      {"MPI_Comm_dup (record 2) makes communicator 8, which",
       [](FileWriter& f) { f.add("MPI_Comm_dup", "cN", Fields().u(0).u(9)); }},
      {"MPI_Barrier (record 2) is called from site 1 of 0",
       [](FileWriter& f) { f.site(1).add("MPI_Barrier", "c", Fields().u(0)); }},
      {"MPI_Send (record 2) has peer 1 of 1 ranks",
       [](FileWriter& f) { f.add("MPI_Send", "cptb", Fields().u(0).z(1).z(0).u(8)); }},
      {"MPI_Send (record 2) has peer -1 of 1 ranks",
       [](FileWriter& f) { f.add("MPI_Send", "cptb", Fields().u(0).z(-1).z(0).u(8)); }},
      {"MPI_Send (record 2) has tag -1",
       [](FileWriter& f) { f.add("MPI_Send", "cptb", Fields().u(0).z(0).z(-1).u(8)); }},
      {"MPI_Send (record 2) moves 144115188075855872 bytes",
       [](FileWriter& f) {
         f.add("MPI_Send", "cptb", Fields().u(0).z(0).z(0).u(std::uint64_t{1} << 57));
       }},
      {"MPI_Bcast (record 2) has root 3 of 1 ranks",
       [](FileWriter& f) { f.add("MPI_Bcast", "cpbef", Fields().u(0).z(3).u(8).u(1).u(0)); }},
      {"MPI_Allreduce (record 2) has unknown flags 4",
       [](FileWriter& f) { f.add("MPI_Allreduce", "cpbef", Fields().u(0).z(-2).u(8).u(1).u(4)); }},
      {"MPI_Allgatherv (record 2) has a list of 3 values, which does not fit the 1 ranks",
       [](FileWriter& f) {
         f.add("MPI_Allgatherv", "cpbefL", Fields().u(0).z(-2).u(8).u(1).u(0).list({1, 8, 8}));
       }},
      {"MPI_Alltoallv (record 2) has a negative number of bytes",
       [](FileWriter& f) {
         f.add("MPI_Alltoallv", "cpbefL", Fields().u(0).z(-2).u(8).u(1).u(0).list({1, -8, 8}));
       }},
      {"MPI_Neighbor_allgather (record 2) has neighbour 4 of 1 ranks",
       [](FileWriter& f) {
         f.add("MPI_Neighbor_allgather", "cpbefL",
               Fields().u(0).z(-2).u(8).u(1).u(0).list({1, 0, 4}));
       }},
      {"MPI_Recv (record 2) has a status of unknown form 3",
       [](FileWriter& f) { f.add("MPI_Recv", "cptbs", Fields().u(0).z(0).z(0).u(8).u(3)); }},
      {"MPI_Recv (record 2) received a message for which it had not asked",
       [](FileWriter& f) {
         f.add("MPI_Recv", "cptbs", Fields().u(0).z(0).z(0).u(8).received(0, 1, 8));
       }},
      {"MPI_Waitall (record 2) completes more requests than its chunk has room for",
       [](FileWriter& f) { f.add("MPI_Waitall", "Q", Fields().u(99)); }},
      {"r0.lat:2: MPI_Wait completes request 5, which does not exist",
       [](FileWriter& f) { f.add("MPI_Wait", "Q", Fields().u(1).request(5).as_asked()); }},
      {"r0.lat:3: MPI_Isend makes request 5, which exists already",
       [](FileWriter& f) {
         for (int i = 0; i < 2; ++i) {
           f.add("MPI_Isend", "cptbq", Fields().u(0).z(0).z(0).u(8).request(5));
         }
       }},
      {"r0.lat:3: MPI_Start starts request 5, which is not persistent",
       [](FileWriter& f) {
         f.add("MPI_Isend", "cptbq", Fields().u(0).z(0).z(0).u(8).request(5));
         f.add("MPI_Start", "R", Fields().u(1).request(5));
       }},
      {"r0.lat:4: MPI_Start starts request 5, which is active",
       [](FileWriter& f) {
         f.add("MPI_Send_init", "cptbq", Fields().u(0).z(0).z(0).u(8).request(5));
         f.add("MPI_Start", "R", Fields().u(1).request(5));
         f.add("MPI_Start", "R", Fields().u(1).request(5));
       }},
      {"r0.lat:3: MPI_Wait completes request 5, which is not active",
       [](FileWriter& f) {
         f.add("MPI_Send_init", "cptbq", Fields().u(0).z(0).z(0).u(8).request(5));
         f.add("MPI_Wait", "Q", Fields().u(1).request(5).as_asked());
       }},
      {"r0.lat:3: MPI_Wait completes the receive of record 2 with what that had not asked for",
       [](FileWriter& f) {
         f.add("MPI_Irecv", "cptbq", Fields().u(0).z(0).z(0).u(8).request(5));
         f.add("MPI_Wait", "Q", Fields().u(1).request(5).received(0, 4, 8));
       }},
      {"MPI_Foo is a call this latitude does not know; use the one that traced the program",
       [](FileWriter& f) { f.add("MPI_Foo", "c", Fields().u(0)); }},
      {"r0.lat:2: MPI_Init comes twice", [](FileWriter& f) { f.init(); }},
      {"r0.lat:3: MPI_Barrier comes after MPI_Finalize",
       [](FileWriter& f) { f.finalize().add("MPI_Barrier", "c", Fields().u(0)); }},
      {"MPI_Barrier (record 2) lasts longer than 36 years",
       [](FileWriter& f) { f.gap(std::uint64_t{1} << 61).add("MPI_Barrier", "c", Fields().u(0)); }},
      {"a chunk begins before its thread's last call has ended; the clock ran backwards",
       [](FileWriter& f) { f.thread(0, 3).add("MPI_Barrier", "c", Fields().u(0)); }},
      {"event (record 2) is call 77 of 1",
       [](FileWriter& f) { f.flush().chunk(6, 1, Encoder().varint(77).bytes(), 0, 100); }},
  };
  for (const Wrong& wrong : cases) {
    const std::string message = error_of({one(wrong.events)});
    EXPECT_EQ(message.rfind("r0.lat:", 0), 0U) << message;
    EXPECT_NE(message.find(wrong.says), std::string::npos) << message << "\nlacks " << wrong.says;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(NativeErrors, CpuClockThatIsNotThere) {
  EXPECT_EQ(error_of({one([](FileWriter&) {})}, Clock::cpu).substr(0, 43),
            "r0.lat: byte 20: carries no CPU time; leave");
}

TEST(NativeErrors, FileThatDoesNotBeginWithInit) {
  FileWriter f;
  f.add("MPI_Barrier", "c", Fields().u(0));
  EXPECT_EQ(error_of({whole(f)}).substr(0, 46), "r0.lat:1: MPI_Barrier comes before MPI_Init; t");
  FileWriter g;
  EXPECT_NE(error_of({g.init().end().file()}).find("without MPI_Finalize"), std::string::npos);
}

TEST(NativeErrors, EveryTruncationIsNamed) {
  FileWriter writer;
  const std::size_t first_chunk = writer.init().file().size();
  writer.add("MPI_Barrier", "c", Fields().u(0)).flush();
  const std::string file = whole(writer);
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::string message = error_of({file.substr(0, size)});
    EXPECT_EQ(message.rfind("r0.lat: breaks off at byte ", 0), 0U) << size << ' ' << message;
    EXPECT_EQ(message.find("--incomplete") != std::string::npos, size >= first_chunk) << size;
  }
}

TEST(NativeErrors, EveryFlippedBitIsNoticed) {
  FileWriter writer;
  writer.meta("{}").init().add("MPI_Barrier", "c", Fields().u(0));
  const std::string file = whole(writer);
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    if (bit / 8 >= 24 && bit / 8 < 32) continue;  // the run's number, which has no invalid value
    std::string bad = file;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
    if (bit == 8 * 20) continue;  // flag 1: the values of the events check it
    EXPECT_NE(error_of({bad}), "") << "bit " << bit;
  }
}

TEST(NativeErrors, UnreadableFiles) {
  try {
    read_native({"/nonexistent/rank-0.lat"}, 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("/nonexistent/rank-0.lat: cannot be read", 0), 0U);
  }
}

}  // namespace
}  // namespace latitude::trace::native
