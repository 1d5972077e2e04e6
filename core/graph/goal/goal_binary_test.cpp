#include "core/graph/format.hpp"
#include "core/graph/goal/binary_layout.hpp"
#include "core/graph/goal/goal_for_tests.hpp"

namespace latitude::graph::goal {
namespace {

constexpr const char* kTwoRanks = R"(num_ranks 2
rank 0 {
l1: calc 100
l2: send 4b to 1 tag 0
l2 requires l1
l3: calc 1000
l3 requires l2
}
rank 1 {
l1: calc 500
l2: recv 4b from 0 tag 0
l2 requires l1
l3: calc 1000
l3 requires l2
}
)";

/// The output of LogGOPSim's txt2bin (revision 76451de) for kTwoRanks.
constexpr const char* kTwoRanksBinary =
    // magic, ranks, CPUs, NICs; extents
    "7f10000000000000"
    "02000000"
    "00"
    "00"
    "2600000000000000"
    "af00000000000000"
    "af00000000000000"
    "3801000000000000"
    // rank 0: nodes, roots, the root; nodes; appendix
    "03000000"
    "01000000"
    "00000000"
    "00000000"
    "03"
    "00000000"
    "6400000000000000"
    "00000000"
    "00"
    "00"
    "01000000"
    "00000000"
    "00000000"
    "01000000"
    "01000000"
    "01"
    "01000000"
    "0400000000000000"
    "00000000"
    "00"
    "00"
    "01000000"
    "01000000"
    "00000000"
    "02000000"
    "01000000"
    "03"
    "00000000"
    "e803000000000000"
    "00000000"
    "00"
    "00"
    "00000000"
    "02000000"
    "00000000"
    "02000000"
    "01000000"
    "02000000"
    // rank 1
    "03000000"
    "01000000"
    "00000000"
    "00000000"
    "03"
    "00000000"
    "f401000000000000"
    "00000000"
    "00"
    "00"
    "01000000"
    "00000000"
    "00000000"
    "01000000"
    "01000000"
    "02"
    "00000000"
    "0400000000000000"
    "00000000"
    "00"
    "00"
    "01000000"
    "01000000"
    "00000000"
    "02000000"
    "01000000"
    "03"
    "00000000"
    "e803000000000000"
    "00000000"
    "00"
    "00"
    "00000000"
    "02000000"
    "00000000"
    "02000000"
    "01000000"
    "02000000";

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string golden() { return from_hex(kTwoRanksBinary); }

constexpr std::size_t kRank0 = 46;  // in the file
constexpr std::size_t kNode0 = kRank0 + 8 + 4;
constexpr std::size_t kAppendix0 = kNode0 + 3 * kNodeBytes;

/// The message for the golden file with `bytes` at `offset`.
std::string message_with(std::size_t offset, const std::string& bytes) {
  std::string file = golden();
  file.replace(offset, bytes.size(), bytes);
  return refusal([&] { parse_bytes(file); });
}

std::string u32(std::uint32_t value) {
  std::string bytes;
  append(bytes, value);
  return bytes;
}

TEST(GoalBinary, WritesWhatTxt2binWrites) { EXPECT_EQ(as_bytes(parse(kTwoRanks)), golden()); }

TEST(GoalBinary, ReadsWhatTxt2binWrites) {
  EXPECT_EQ(Canonical(parse_bytes(golden())), Canonical(parse(kTwoRanks)));
}

TEST(GoalBinary, ReadsWildcardsAndBothKindsOfDependency) {
  const Graph graph = parse(
      "num_ranks 2\nrank 0 {\na: send 8b to 1 tag 4294967294 cpu 1 nic 200\nb: calc 1 cpu 9\n"
      "c: calc 2\nb irequires a\nc requires b\nc requires a\nc irequires a\n}\n"
      "rank 1 {\nrecv 8b from 0 tag 4294967294\n}\n");
  std::string bytes = as_bytes(graph);
  EXPECT_EQ(bytes[12], 9);
  EXPECT_EQ(static_cast<unsigned char>(bytes[13]), 200);
  EXPECT_EQ(Canonical(parse_bytes(bytes)), Canonical(graph));
  const std::size_t recv = bytes.size() - kNodeBytes;
  bytes.replace(recv + 5, 4, u32(UINT32_MAX));
  bytes.replace(recv + 17, 4, u32(UINT32_MAX));
  EXPECT_EQ(Canonical(parse_bytes(bytes)), Canonical(graph));
}

TEST(GoalBinary, SortsWhatComesTooEarly) {
  // Nodes 0 and 2 of rank 0 change places, and so do the indices in roots and appendix.
  std::string bytes = golden();
  const std::string first = bytes.substr(kNode0, kNodeBytes);
  bytes.replace(kNode0, kNodeBytes, bytes.substr(kNode0 + 2 * kNodeBytes, kNodeBytes));
  bytes.replace(kNode0 + 2 * kNodeBytes, kNodeBytes, first);
  bytes.replace(kRank0 + 8, 4, u32(2));
  bytes.replace(kAppendix0, 8, u32(1) + u32(0));
  EXPECT_EQ(Canonical(parse_bytes(bytes)), Canonical(parse(kTwoRanks)));
}

TEST(GoalBinary, IsTold) {
  const TemporaryFolder folder;
  write_goal_binary(parse(kTwoRanks), folder / "b", kNoLimit);
  write_goal_text(parse(kTwoRanks), folder / "t", kNoLimit);
  const auto format_of = [](const std::string& head) {
    for (const GraphFormat& format : graph_formats()) {
      if (format.begins(head)) return format.title;
    }
    return std::string_view();
  };
  const auto content = [&](const char* name) {
    std::ifstream file(folder / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(format_of(content("b")), "GOAL binary");
  EXPECT_EQ(format_of(content("t")), "GOAL text");
  EXPECT_EQ(format_of("// of 1\n /* and\n*/ num_ranks 1"), "GOAL text");
  for (const char* other : {"\x7f\x10", "", "// num_ranks", "/* num_ranks", "rank 0 { }"}) {
    EXPECT_EQ(format_of(other), "") << other;
  }
  EXPECT_EQ(Canonical(read_goal_binary(folder / "b")), Canonical(read_goal_text(folder / "t")));
  EXPECT_EQ(refusal([&] { read_goal_binary(folder / ""); }),
            (folder / "") + ": not a regular file");
}

TEST(GoalBinary, RefusesWrongHeaders) {
  EXPECT_EQ(message_with(0, u32(1)),
            "t.bin:byte 0: not GOAL binary: the magic number is 1, not 4223");
  EXPECT_EQ(message_with(0, u32(2342)),
            "t.bin:byte 0: a simulation with --save-mem has used up this schedule; make it again");
  EXPECT_EQ(message_with(8, u32(0)), "t.bin:byte 8: the number of ranks is 0");
  EXPECT_EQ(message_with(8, u32(UINT32_MAX)), "t.bin:byte 8: the number of ranks is 4294967295");
  EXPECT_EQ(message_with(8, u32(20)), "t.bin:byte 8: the file is too short for 20 ranks");
  EXPECT_EQ(message_with(30, u32(0)),
            "t.bin:byte 30: rank 1 lies at 0 to 312, which this file of 320 bytes cannot hold");
  EXPECT_EQ(message_with(22, u32(400)),
            "t.bin:byte 14: rank 0 lies at 38 to 400, which this file of 320 bytes cannot hold");
  EXPECT_EQ(message_with(30, u32(38)),  // all of rank 0 again: nothing is read twice
            "t.bin:byte 30: rank 1 lies at 38 to 312, which this file of 320 bytes cannot hold");
  EXPECT_EQ(refusal([] { parse_bytes(golden() + "xyz"); }),
            "t.bin:byte 320: 3 bytes behind the last rank");
}

TEST(GoalBinary, RefusesWrongCounts) {
  EXPECT_EQ(message_with(kRank0, u32(UINT32_MAX)),
            "t.bin:byte 46: rank 0: 4294967295 nodes and 1 roots do not fit its 137 bytes");
  EXPECT_EQ(message_with(kRank0 + 4, u32(4)),
            "t.bin:byte 46: rank 0: 3 nodes and 4 roots do not fit its 137 bytes");
  EXPECT_EQ(message_with(kNode0 + 23, u32(UINT32_MAX)),
            "t.bin:byte 58: rank 0: node 0 has 4294967295 successors from 0 on, of 2 in the rank");
  EXPECT_EQ(message_with(kNode0 + 27, u32(2)),
            "t.bin:byte 58: rank 0: node 0 has 1 successors from 2 on, of 2 in the rank");
  EXPECT_EQ(message_with(kNode0 + kNodeBytes + 23, u32(2) + u32(0)),  // shares the entry of node 0
            "t.bin:byte 97: rank 0: node 1 has 2 successors from 0 on, of 2 in the rank");
  EXPECT_EQ(message_with(kNode0 + 23, u32(0)),
            "t.bin:byte 175: rank 0: 2 successors, of which the nodes use 1");
  EXPECT_EQ(message_with(kAppendix0 + 4, u32(3)), "t.bin:byte 179: rank 0: successor 3 of 3 nodes");
  EXPECT_EQ(message_with(kNode0, u32(1)),
            "t.bin:byte 58: rank 0: node 0 states 1 predecessors and has 0");
  EXPECT_EQ(message_with(kRank0 + 8, u32(1)),
            "t.bin:byte 54: rank 0: node 1 cannot be a root (again)");
  EXPECT_EQ(message_with(kAppendix0, u32(2)),
            "t.bin:byte 50: rank 0: 1 roots, but 2 nodes without predecessors");
}

TEST(GoalBinary, RefusesWrongOperations) {
  const std::size_t send = kNode0 + kNodeBytes;
  EXPECT_EQ(message_with(send + 4, std::string(1, '\x04')),
            "t.bin:byte 97: rank 0: node 1 has the unknown type 4");
  EXPECT_EQ(message_with(send + 5, u32(2)),
            "t.bin:byte 97: rank 0: node 1 has the peer 2 of 2 ranks");
  EXPECT_EQ(message_with(send + 5, u32(UINT32_MAX)),
            "t.bin:byte 97: rank 0: node 1 has the peer 4294967295 of 2 ranks");
  EXPECT_EQ(message_with(send + 17, u32(UINT32_MAX)),
            "t.bin:byte 97: rank 0: node 1 is a send with a wildcard tag");
  EXPECT_EQ(message_with(send + 16, std::string(1, '\x80')),
            "t.bin:byte 97: rank 0: node 1 has the size 9223372036854775812, above 2^63 - 1");
}

TEST(GoalBinary, RefusesCycles) {
  // 0 -> 1 -> 2 becomes 1 -> 2 -> 1, with 0 on its own.
  std::string bytes = golden();
  bytes.replace(kNode0 + 23, 4, u32(0));
  bytes.replace(kNode0 + kNodeBytes + 27, 4, u32(0));
  bytes.replace(kNode0 + 2 * kNodeBytes + 23, 8, u32(1) + u32(1));
  bytes.replace(kAppendix0, 8, u32(2) + u32(1));
  EXPECT_EQ(refusal([&] { parse_bytes(bytes); }),
            "t.bin:byte 97: rank 0: node 1 requires node 2 requires node 1: cycle of 2");
}

TEST(GoalBinary, RefusesEveryTruncation) {
  const std::string whole = golden();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal([&] { parse_bytes(whole.substr(0, size)); }), "(accepted)") << size;
  }
}

TEST(GoalBinary, SurvivesEveryWrongByte) {
  for (std::size_t at = 0; at < golden().size(); ++at) {
    for (const char wrong : {'\x00', '\x01', '\x7f', '\x80', '\xff'}) {
      std::string bytes = golden();
      bytes[at] = wrong;
      refusal([&] { parse_bytes(bytes); });
    }
  }
}

}  // namespace
}  // namespace latitude::graph::goal
