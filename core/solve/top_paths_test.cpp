// The longest paths by their messages, in a graph in which almost all shorter paths have the same
// messages.
#include "core/solve/top_paths.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "core/solve/message_dag.hpp"

namespace latitude::solve {
namespace {

using Builder = JoinBuilder<MessageNode>;

/// A message that is `late` (ns) after the CPU at a join of its own.
void meet(MessageGraph& messages, Builder& builder, Ref& at, double late) {
  at = builder.keep(at.plus({late, 0}), Builder::origin().plus({0, 1}));
  builder.last().message = static_cast<MessageId>(messages.receive.size());
  messages.receive.push_back(static_cast<graph::VertexId>(100 + messages.receive.size()));
}

TEST(TopPaths, AreFoundBehindAnyNumberOfDetoursWithoutMessages) {
  constexpr std::size_t kDetours = 5000;
  MessageGraph messages;
  Builder builder;
  Ref at = Builder::origin();
  for (std::size_t i = 0; i < kDetours; ++i) {
    at = builder.keep(at.plus({10, 0}), at.plus({9, 0}));
  }
  meet(messages, builder, at, 1);
  meet(messages, builder, at, 1);
  messages.nodes = builder.take();
  messages.result = at;

  const double latency = 1000;
  const auto paths = top_paths(messages, latency, 10);
  ASSERT_EQ(paths.size(), 3);
  EXPECT_EQ(paths[0].length_ns, 10 * kDetours + 2);
  EXPECT_TRUE(paths[0].receives.empty());
  EXPECT_EQ(paths[1].length_ns, latency + 1);
  EXPECT_EQ(paths[1].receives, std::vector<graph::VertexId>{100});
  EXPECT_EQ(paths[2].length_ns, latency);
  EXPECT_EQ(paths[2].receives, std::vector<graph::VertexId>{101});
}

}  // namespace
}  // namespace latitude::solve
