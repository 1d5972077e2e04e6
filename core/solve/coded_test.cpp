#include "core/solve/coded.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace latitude::solve {
namespace {

std::vector<std::uint64_t> bits_of(const Coded& coded) {
  std::vector<std::uint64_t> bits;
  for (const std::uint16_t code : coded.codes()) {
    bits.push_back(std::bit_cast<std::uint64_t>(coded.values()[code]));
  }
  for (const double value : coded.plain()) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

/// `count` numbers with `different` values, both zeros among them.
void expect_kept(std::size_t count, std::size_t different, bool is_coded) {
  Coded coded;
  coded.reserve(count);
  std::vector<std::uint64_t> expected;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = i * i % different;
    const double value = k == 0 ? -0.0 : k == 1 ? 0.0 : 0.1 * static_cast<double>(k);
    coded.push_back(value);
    expected.push_back(std::bit_cast<std::uint64_t>(value));
  }
  EXPECT_EQ(coded.is_coded(), is_coded);
  EXPECT_EQ(bits_of(coded), expected);
}

TEST(Coded, FewDifferentNumbersTakeTwoBytesEach) { expect_kept(1000, 7, true); }

TEST(Coded, ManyDifferentNumbersAreThePlainList) {
  Coded coded;
  for (std::uint32_t i = 0; i < 65'536; ++i) coded.push_back(i);
  EXPECT_TRUE(coded.is_coded());
  coded.push_back(0);
  EXPECT_TRUE(coded.is_coded());
  coded.push_back(0.5);
  EXPECT_FALSE(coded.is_coded());
  coded.push_back(1);
  ASSERT_EQ(coded.plain().size(), 65'539U);
  EXPECT_EQ(coded.plain()[65'535], 65'535);
  EXPECT_EQ(coded.plain()[65'536], 0);
  EXPECT_EQ(coded.plain()[65'537], 0.5);
  EXPECT_EQ(coded.plain()[65'538], 1);
}

TEST(Coded, OfNothingIsEmpty) {
  EXPECT_TRUE(Coded().is_coded());
  EXPECT_TRUE(Coded().codes().empty());
}

}  // namespace
}  // namespace latitude::solve
