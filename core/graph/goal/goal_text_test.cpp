#include "core/graph/goal/goal_for_tests.hpp"
#include "core/growth_for_tests.hpp"

namespace latitude::graph::goal {
namespace {

constexpr const char* kOrderedStarts = R"(num_ranks 2
rank 0 {
l1: calc 100
l2: send 4b to 1 tag 7
l2 requires l1
l3: calc 1000
l3 requires l2
}
rank 1 {
l1: calc 500
l2: recv 4b from 0 tag 7
l2 requires l1
l3: calc 1000
l3 irequires l2
}
)";

TEST(GoalText, ReadsTheGoldenExample) {
  const Graph graph = parse(kOrderedStarts);
  ASSERT_EQ(graph.ranks(), 2U);
  ASSERT_EQ(graph.vertices.size(), 6U);
  EXPECT_EQ(graph.rank_begin, (std::vector<VertexId>{0, 3, 6}));
  EXPECT_EQ(graph.vertices[0].value, 100);
  EXPECT_EQ(graph.vertices[1].kind, Kind::send);
  EXPECT_EQ(graph.vertices[1].partner, 4U);
  EXPECT_EQ(graph.vertices[4].partner, 1U);
  EXPECT_EQ(graph.vertices[4].tag, 7);
  ASSERT_EQ(graph.deps_of(5).size(), 1U);
  EXPECT_EQ(graph.deps_of(5)[0].vertex, 4U);
  EXPECT_EQ(graph.deps_of(5)[0].kind, DepKind::requires_start);
  EXPECT_EQ(graph.deps_of(1)[0].kind, DepKind::requires_end);
  EXPECT_FALSE(graph.vertices[1].chained);
  EXPECT_TRUE(graph.warnings.empty());
}

TEST(GoalText, LayoutDoesNotMatter) {
  const Graph plain = parse(
      "num_ranks 2\nrank 0 {\na: send 8b to 1 tag 3 cpu 1 nic 2\nb: calc 5 cpu 4\nb requires a\n}\n"
      "rank 1 {\nrecv 8b from 0 tag 3\n}\n");
  const Graph odd = parse(
      "// a comment\r\n\t/* over\r\nlines // */ num_ranks/**/2\r\n"
      "rank \t1{ recv 8  b\tfrom 0 tag 3 }\r\n"
      "/**//**/ rank 0 { // here too\r\n\r\n"
      " a :send 8b to 1 nic 2 cpu 1 tag 3 /* and here,\n on */ b:calc 5cpu 4//\r\n"
      "b  requires /* yes */\ta\r\n}");
  EXPECT_EQ(Canonical(plain), Canonical(odd));
  EXPECT_EQ(odd.unit_of(0).line.number, 1);
  EXPECT_EQ(odd.unit_of(0).nic.number, 2);
  EXPECT_EQ(odd.unit_of(1).line.number, 4);
}

TEST(GoalText, LabelsOfEveryKindAndInAnyOrder) {
  const Graph graph = parse(
      "num_ranks 1\nrank 0 {\n"
      "l3 requires l007\nl3 irequires l16777216\n"  // forward, from both sides
      "l007: calc 1\nl16777216: calc 2\nl7: calc 3\nl0: calc 4\nl3: calc 5\nsendx_1: calc 6\n"
      "sendx_1 requires l0\nl3 requires l7\n}\n");
  ASSERT_EQ(graph.deps_of(4).size(), 3U);
  EXPECT_EQ(graph.deps_of(4)[0].vertex, 0U);
  EXPECT_EQ(graph.deps_of(4)[1].vertex, 1U);
  EXPECT_EQ(graph.deps_of(4)[1].kind, DepKind::requires_start);
  EXPECT_EQ(graph.deps_of(4)[2].vertex, 2U);
  EXPECT_EQ(graph.deps_of(5)[0].vertex, 3U);
}

/// A chain whose operations take different times, each with a label of its own.
std::string chain(const std::vector<std::string>& labels) {
  std::string text = "num_ranks 1\nrank 0 {\n";
  for (std::size_t i = 0; i < labels.size(); ++i) {
    text += labels[i] + ": calc " + std::to_string(i + 1) + "\n";
    if (i > 0) text += labels[i] + " requires " + labels[i - 1] + "\n";
  }
  return text + "}\n";
}

TEST(GoalText, LabelsMeanTheSameWhateverTheyAreCalled) {
  std::vector<std::string> counted, named;
  for (int i = 0; i < 600; ++i) counted.push_back(label(i + 1));
  for (const char* const odd : {"x9", "x09", "x009", "x0", "x00", "x", "x9y", "x1y2", "x16777215",
                                "x16777216", "x99999999", "x100000000"}) {
    named.emplace_back(odd);
  }
  for (std::size_t series = 0; series < 30;
       ++series) {  // more series than have arrays of their own
    for (const int number : {0, 10, 255, 256, 70'000}) {
      named.push_back(std::string(series, '_').insert(0, 1, 's').append(std::to_string(number)));
    }
  }
  while (named.size() < counted.size())
    named.push_back(label(static_cast<int>(named.size())) + "_");
  EXPECT_EQ(Canonical(parse(chain(named))), Canonical(parse(chain(counted))));
}

TEST(GoalText, RanksMayComeInAnyOrderAndBeEmpty) {
  const Graph graph = parse(
      "num_ranks 3\nrank 2 {\na: calc 1\nb: send 4b to 0\nb requires a\n}\nrank 1 {}\n"
      "rank 0 {\nc: calc 9\nr: recv 4b from 2\nr requires c\n}\n");
  EXPECT_EQ(graph.rank_begin, (std::vector<VertexId>{0, 2, 2, 4}));
  EXPECT_EQ(graph.vertices[0].value, 9);
  EXPECT_EQ(graph.vertices[1].partner, 3U);
  EXPECT_EQ(graph.deps_of(3)[0].vertex, 2U);
  EXPECT_EQ(graph.deps_of(1)[0].vertex, 0U);
}

TEST(GoalText, SortsWhatComesTooEarly) {
  const Graph graph = parse(
      "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\nc: calc 3\nd: calc 4\n"
      "a requires c\nb irequires c\n}\n");
  EXPECT_EQ(graph.vertices[0].value, 3);  // c first, the rest as in the file
  EXPECT_EQ(graph.vertices[1].value, 1);
  EXPECT_EQ(graph.vertices[2].value, 2);
  EXPECT_EQ(graph.vertices[3].value, 4);
  EXPECT_EQ(graph.deps_of(2)[0].kind, DepKind::requires_start);
  EXPECT_EQ(graph.deps_of(2)[0].vertex, 0U);
}

TEST(GoalText, DependenciesOverrideTheFilesPostingOrder) {
  const Graph graph = parse(
      "num_ranks 2\nrank 0 {\nsend 1b to 1\nsend 2b to 1\n}\n"
      "rank 1 {\na: recv 9b from 0\nb: recv 9b from 0\na requires b\n}\n");
  EXPECT_EQ(graph.vertices[graph.vertices[0].partner].value, 1);
  EXPECT_EQ(graph.vertices[0].partner, 2U);  // b, which now comes first
  EXPECT_EQ(graph.deps_of(3).size(), 1U);
}

TEST(GoalText, ReceivesTakeTheFirstMessageOfTheirTag) {
  const Graph graph = parse(
      "num_ranks 2\nrank 0 {\nsend 1b to 1 tag 5\nsend 2b to 1 tag 3\nsend 3b to 1 tag 4\n}\n"
      "rank 1 {\nrecv 3b from 0 tag 4\nrecv 2b from 0 tag 3\nrecv 1b from 0 tag 5\n}\n");
  EXPECT_EQ(graph.vertices[3].partner, 2U);
  EXPECT_EQ(graph.vertices[4].partner, 1U);
  EXPECT_EQ(graph.vertices[5].partner, 0U);
}

// Next to a receive of any tag, receives with a tag take no message of a smaller or larger tag.
TEST(GoalText, ReceivesOfATagTakeItsMessagesBesideAnyTag) {
  const Graph graph = parse(
      "num_ranks 2\nrank 0 {\nsend 1b to 1 tag 5\nsend 2b to 1 tag 3\nsend 3b to 1 tag 7\n"
      "send 4b to 1 tag 5\n}\n"
      "rank 1 {\nrecv 2b from 0 tag 3\nrecv 3b from 0 tag 7\nrecv 1b from 0 tag -1\n"
      "recv 4b from 0 tag 5\n}\n");
  EXPECT_EQ(graph.vertices[4].partner, 1U);
  EXPECT_EQ(graph.vertices[5].partner, 2U);
  EXPECT_EQ(graph.vertices[6].partner, 0U);
  EXPECT_EQ(graph.vertices[7].partner, 3U);
}

TEST(GoalText, ResolvesWildcards) {
  const Graph graph = parse(
      "num_ranks 2\nrank 0 {\nsend 0b to 1 tag 5\nsend 8b to 1 tag 4294967294\n}\n"
      "rank 1 {\nrecv 0b from -1 tag -1\nrecv 8b from -1 tag 4294967294\n}\n");
  EXPECT_EQ(graph.vertices[2].partner, 0U);
  EXPECT_EQ(graph.vertices[2].tag, 5);
  EXPECT_EQ(graph.vertices[3].partner, 1U);
  EXPECT_EQ(static_cast<std::uint32_t>(graph.vertices[3].tag), 4294967294U);
}

TEST(GoalText, TagsAreTheLower32Bits) {
  const Graph graph = parse(
      "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 18446744072636809792\nsend 8b to 1 tag 3\n}\n"
      "rank 1 {\nrecv 8b from 0 tag 18446744073709551615\nrecv 8b from 0 tag 00000000000000000003\n"
      "}\n");
  EXPECT_EQ(graph.vertices[2].partner, 0U);
  EXPECT_EQ(static_cast<std::uint32_t>(graph.vertices[2].tag),
            18446744072636809792U % (1ULL << 32));
  EXPECT_EQ(graph.vertices[3].tag, 3);
}

TEST(GoalText, WarnsWhenSizesDiffer) {
  const Graph graph = parse(
      "num_ranks 2\nrank 0 {\nsend 8b to 1\nsend 8b to 1\n}\n"
      "rank 1 {\nrecv 16b from 0\nrecv 8b from 0\n}\n");
  EXPECT_EQ(graph.vertices[2].value, 8);
  ASSERT_EQ(graph.warnings.size(), 1U);
  EXPECT_EQ(graph.warnings[0].code, "goal-receive-size");
  EXPECT_EQ(graph.warnings[0].message.substr(0, 23), "t.goal: 1 receive state");
}

TEST(GoalText, LargestValues) {
  const Graph graph = parse("num_ranks 1\nrank 0 {\ncalc 9223372036854775807 cpu 255\n}\n");
  EXPECT_EQ(graph.vertices[0].value, INT64_MAX);
  EXPECT_EQ(graph.unit_of(0).line.number, 255);
}

TEST(GoalText, WideNumbersOfCpuAndNic) {
  const Graph graph = parse(
      "num_ranks 1\nrank 0 {\na: calc 1 cpu 4294967295\nb: send 1b to 0 nic 256\n"
      "c: recv 1b from 0 cpu 255\nd: calc 1 cpu 4294967295\n}\n");
  EXPECT_EQ(graph.unit_of(0).line.number, 4294967295U);
  EXPECT_EQ(graph.unit_of(1).nic.number, 256U);
  EXPECT_EQ(graph.unit_of(1).line.number, 0U);
  EXPECT_EQ(graph.vertices[0].unit, graph.vertices[3].unit);
  ASSERT_EQ(graph.warnings.size(), 1U);
  EXPECT_EQ(graph.warnings[0].code, "goal-wide-units");
  EXPECT_EQ(graph.warnings[0].message,
            "t.goal: numbers of cpu go up to 4294967295, of which LogGOPSim's txt2bin keeps the "
            "lower 8 bits");
  EXPECT_EQ(Canonical(parse(as_text(graph))), Canonical(graph));
  const TemporaryFolder folder;
  EXPECT_EQ(refusal([&] { write_goal_binary(graph, folder / "g.bin", kNoLimit); }),
            folder / "g.bin" +
                ": GOAL binary has 8 bits for a cpu, and 4294967295 needs more; write GOAL text");
  EXPECT_EQ(folder.files(), 0U);
}

TEST(GoalText, LinesAcrossBlocks) {
  std::string text = "num_ranks 1\nrank 0 {\n";
  for (int i = 0; i < 200'000; ++i) text += label(i) + ": calc 12345\n";
  EXPECT_GT(text.size(), std::size_t{2} << 20);
  EXPECT_EQ(parse(text + "}").vertices.size(), 200'000U);
}

TEST(GoalText, TakesTimeInProportionToTheCommentsInALine) {
  const auto run = [](int comments) {
    std::string text = "num_ranks 1 ";
    for (int i = 0; i < comments; ++i) text += "/**/";
    parse(text + "\nrank 0 {\n}\n");
  };
  EXPECT_LT(growth(2'000, run), kMostGrowth);
}

}  // namespace
}  // namespace latitude::graph::goal
