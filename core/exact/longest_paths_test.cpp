#include "core/exact/longest_paths.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/error.hpp"

namespace latitude::exact {
namespace {

using Column = std::vector<std::int64_t>;

/// Two ways from 0 to 3: through 1, 100 ns; through 2, 40 ns and two latencies. They meet at θ =
/// 30.
struct Diamond {
  Column head{1, 3, 2, 3};
  Column tail{0, 1, 0, 2};
  Column ns{100, 0, 30, 10};
  Column latencies{0, 0, 1, 1};
  Column none{0, 0, 0, 0};
  LongestPaths paths{4, 3, head, tail};

  explicit Diamond(Int unit = 1) {
    paths.price({ns, none, none, none, none, latencies, none, none},
                {{unit, 0}, {}, {{.latency = {0, unit}}}});
  }
};

TEST(ExactPaths, FindTheLineOnEitherSide) {
  const Diamond graph;
  EXPECT_EQ(graph.paths.longest({29, 1}, Side::right), (Line{100, 0}));
  EXPECT_EQ(graph.paths.longest({30, 1}, Side::left), (Line{100, 0}));
  EXPECT_EQ(graph.paths.longest({30, 1}, Side::right), (Line{40, 2}));
  EXPECT_EQ(graph.paths.longest({1, 0}, Side::left), (Line{40, 2})) << "beyond any θ";
}

TEST(ExactPaths, AreExactWhereDoublesAreNot) {
  const Diamond graph;
  const Int large = Int{1} << 100;
  EXPECT_EQ(graph.paths.longest({30 * large - 1, large}, Side::right), (Line{100, 0}));
  EXPECT_EQ(graph.paths.longest({30 * large + 1, large}, Side::left), (Line{40, 2}));
}

TEST(ExactPaths, CompareProductsOf256Bits) {
  const Int large = (Int{1} << 126) + 12345;
  EXPECT_EQ(sign_at({large, -large}, {large, large}), 0);
  EXPECT_EQ(sign_at({large + 1, -large}, {large, large}), 1);
  EXPECT_EQ(sign_at({large, -large}, {large + 1, large}), -1);
  EXPECT_EQ(sign_at({-large, large - 1}, {large, large}), -1);
  const Int high = Int{1} << 65;
  const Int low = Int{1} << 63;
  EXPECT_EQ(sign_at({high, -low}, {high, low}), 0) << "whichever factor has the high word";
  EXPECT_EQ(sign_at({0, -1}, {0, 1}), 0);
  EXPECT_EQ(sign_at({5, -1}, {1, 0}), -1);
}

TEST(ExactPaths, RefuseWhatIsNoGraphOrTooLarge) {
  const Column head{1, 0};
  const Column tail{0, 1};
  EXPECT_THROW((LongestPaths{2, 1, head, tail}), InputError) << "a circle";
  EXPECT_THROW((LongestPaths{1, 0, head, tail}), InputError) << "variable 1 of 1";
  EXPECT_THROW(Diamond{Int{1} << 121}, InputError) << "100 times that needs 128 bits";
}

}  // namespace
}  // namespace latitude::exact
