#include "core/graph/collectives/blocks.hpp"

#include <gtest/gtest.h>

namespace latitude::graph::collectives {
namespace {

TEST(Blocks, SplitsIntoWholeElements) {
  const auto blocks = Blocks::split(10 * 8, 8, 4);
  EXPECT_EQ(blocks[0], 24u);
  EXPECT_EQ(blocks[1], 24u);
  EXPECT_EQ(blocks[2], 16u);
  EXPECT_EQ(blocks[3], 16u);
  EXPECT_EQ(blocks.total(), 80u);
  EXPECT_EQ(blocks.cyclic(3, 2), 40u);
  EXPECT_EQ(Blocks::split(10, 8, 4).total(), 10u);  // by bytes
}

TEST(Blocks, ListsSizes) {
  const std::vector<std::int64_t> bytes{5, 0, 7};
  const auto blocks = Blocks::listed(bytes);
  EXPECT_EQ(blocks.range(0, 2), 5u);
  EXPECT_EQ(blocks[2], 7u);
  EXPECT_EQ(blocks.cyclic(2, 3), 12u);
}

}  // namespace
}  // namespace latitude::graph::collectives
