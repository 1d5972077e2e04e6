#include "core/graph/goal/goal_for_tests.hpp"

namespace latitude::graph::goal {
namespace {

/// Builds small graphs as the trace builder does: vertices in program order, matched by hand.
class Traced {
 public:
  Traced() { graph_.communicators.resize(2); }

  VertexId add(Kind kind, std::int64_t value, std::vector<Dep> deps = {}, bool chained = true) {
    const auto v = static_cast<VertexId>(graph_.vertices.size());
    graph_.vertices.push_back({.value = value, .kind = kind});
    graph_.vertices.back().chained = chained && v > graph_.rank_begin.back();
    graph_.deps.insert(graph_.deps.end(), deps.begin(), deps.end());
    graph_.dep_begin.push_back(static_cast<std::uint32_t>(graph_.deps.size()));
    return v;
  }
  void end_rank() { graph_.rank_begin.push_back(static_cast<VertexId>(graph_.vertices.size())); }
  void match(VertexId send, VertexId recv, std::int32_t tag = 0, std::uint32_t comm = 0,
             trace::Call call = trace::Call::Send) {
    for (const VertexId v : {send, recv}) {
      graph_.vertices[v].partner = v == send ? recv : send;
      graph_.vertices[v].tag = tag;
      graph_.vertices[v].origin = static_cast<std::uint32_t>(graph_.calls.size());
      graph_.calls.push_back({comm, 1, call});
    }
  }
  Vertex& operator[](VertexId v) { return graph_.vertices[v]; }
  const Graph& graph() const { return graph_; }

 private:
  Graph graph_;
};

constexpr Kind kCalc = Kind::calc;
constexpr Kind kSend = Kind::send;
constexpr Kind kRecv = Kind::recv;

TEST(GoalWrite, ChainsThroughEagerAndBlockingSends) {
  Traced t;
  t.add(kCalc, 10);
  const VertexId eager = t.add(kSend, 100);
  const VertexId blocking = t.add(kSend, 101);
  const VertexId isend = t.add(kSend, 102);
  const VertexId recv = t.add(kRecv, 5);
  t.add(kCalc, 0, {{isend, DepKind::requires_end}});
  t[blocking].blocking = true;
  t.end_rank();
  const VertexId r1 = t.add(kRecv, 100);
  const VertexId r2 = t.add(kRecv, 101);
  const VertexId r3 = t.add(kRecv, 102);
  const VertexId back = t.add(kSend, 5, {{r1, DepKind::released}}, false);
  t.end_rank();
  t.match(eager, r1, 7);
  t.match(blocking, r2, 7);
  t.match(isend, r3, 8);
  t.match(back, recv, 9);
  EXPECT_EQ(as_text(t.graph(), 100), R"(num_ranks 2

rank 0 {
l1: calc 10
l2: send 100b to 1 tag 7
l2 requires l1
l3: send 101b to 1 tag 7
l3 requires l2
l4: send 102b to 1 tag 8
l4 requires l3
l5: recv 5b from 1 tag 9
l5 irequires l4
l6: calc 0
l6 requires l5
l6 requires l4
}

rank 1 {
l1: recv 100b from 0 tag 7
l2: recv 101b from 0 tag 7
l2 requires l1
l3: recv 102b from 0 tag 8
l3 requires l2
l4: send 5b to 0 tag 9
l4 requires l1
}
)");
}

TEST(GoalWrite, PostsRendezvousReceivesEarlyAndDropsEagerPostings) {
  Traced t;
  const VertexId small = t.add(kSend, 8);
  const VertexId large = t.add(kSend, 800);
  t.end_rank();
  const VertexId start = t.add(kCalc, 1);
  t.add(kCalc, 2);
  const VertexId r1 = t.add(kRecv, 8, {{start, DepKind::posted}});
  const VertexId r2 = t.add(kRecv, 800, {{start, DepKind::posted}});
  t.add(kCalc, 3);
  t.end_rank();
  t.match(small, r1);
  t.match(large, r2, 1);
  EXPECT_EQ(as_text(t.graph(), 100), R"(num_ranks 2

rank 0 {
l1: send 8b to 1 tag 0
l2: send 800b to 1 tag 1
l2 requires l1
}

rank 1 {
l1: calc 1
l2: recv 800b from 0 tag 1
l2 requires l1
l3: calc 2
l3 requires l1
l4: recv 8b from 0 tag 0
l4 requires l3
l5: calc 0
l5 requires l4
l5 requires l2
l6: calc 3
l6 requires l5
}
)");
}

/// The tags of the sends of rank 0, after a second reading has matched them as in the graph.
std::vector<std::uint32_t> tags_of(const Graph& graph) {
  const Graph again = parse(as_text(graph));
  std::vector<std::uint32_t> tags;
  for (VertexId v = 0; v < graph.rank_begin[1]; ++v) {
    EXPECT_EQ(again.vertices[v].partner, graph.vertices[v].partner);
    tags.push_back(static_cast<std::uint32_t>(again.vertices[v].tag));
  }
  return tags;
}

Traced sends_and_receives(std::uint32_t count) {
  Traced t;
  for (std::uint32_t i = 0; i < count; ++i) t.add(kSend, i + 1);
  t.end_rank();
  for (std::uint32_t i = 0; i < count; ++i) t.add(kRecv, i + 1);
  t.end_rank();
  return t;
}

TEST(GoalWrite, KeepsWorldTagsAndInternsTheOthers) {
  Traced t = sends_and_receives(6);
  t.match(0, 6, 1);
  t.match(1, 7, 1, 1);                          // another communicator
  t.match(2, 8, 0, 0, trace::Call::Allreduce);  // a collective
  t.match(3, 9, 0, 0, trace::Call::Comm_dup);   // also a collective
  t.match(4, 10, 0, 0, trace::Call::Send);
  t.match(5, 11, INT32_MAX, 0, trace::Call::Isend);
  EXPECT_EQ(tags_of(t.graph()), (std::vector<std::uint32_t>{1, 2, 3, 3, 0, INT32_MAX}));
}

TEST(GoalWrite, OvertakenMessagesGetTagsOfTheirOwn) {
  Traced t = sends_and_receives(6);
  // Received in the order 1 0 3 2 4 5: two orders, each of them in sequence.
  for (const auto& [send, recv] :
       {std::pair{1U, 6U}, {0U, 7U}, {3U, 8U}, {2U, 9U}, {4U, 10U}, {5U, 11U}}) {
    t[send].value = t[recv].value = send;
    t.match(send, recv, 5);
  }
  EXPECT_EQ(tags_of(t.graph()), (std::vector<std::uint32_t>{0, 5, 0, 5, 5, 5}));
}

TEST(GoalWrite, ManyReversedMessages) {
  constexpr std::uint32_t kMany = 3000;
  Traced t = sends_and_receives(kMany);
  for (std::uint32_t i = 0; i < kMany; ++i) {
    t[i].value = t[2 * kMany - 1 - i].value = i;
    t.match(i, 2 * kMany - 1 - i);
  }
  const std::vector<std::uint32_t> tags = tags_of(t.graph());
  EXPECT_EQ(tags.front(), kMany - 1);
  EXPECT_EQ(tags.back(), 0U);
}

TEST(GoalWrite, ReplacesAFileOnlyWhenDone) {
  const TemporaryFolder folder;
  const std::string path = folder / "out.goal";
  std::ofstream(path) << "before";
  Traced bad;
  bad.add(kCalc, -5);
  bad.end_rank();
  EXPECT_EQ(refusal([&] { write_goal_text(bad.graph(), path, 0); }),
            path + ": rank 0 has a duration of -5 ns, which GOAL cannot express");
  EXPECT_EQ(contents(path), "before");
  Traced good;
  good.add(kCalc, 5);
  good.end_rank();
  std::filesystem::create_symlink(path, folder / "link");
  write_goal_text(good.graph(), folder / "link", 0);
  EXPECT_EQ(contents(path), "num_ranks 1\n\nrank 0 {\nl1: calc 5\n}\n");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(folder.files(), 2U);
}

TEST(GoalWrite, RefusesWhatIsNoFile) {
  Traced t;
  t.add(kCalc, 5);
  t.end_rank();
  const TemporaryFolder folder;
  EXPECT_EQ(refusal([&] { write_goal_binary(t.graph(), "/dev/null", 0); }),
            "/dev/null: cannot write: not a regular file");
  EXPECT_EQ(refusal([&] { write_goal_text(t.graph(), folder / "no/where", 0); }),
            (folder / "no/where") + ": cannot write: No such file or directory");
}

}  // namespace
}  // namespace latitude::graph::goal
