#include "core/solve/key_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <unordered_map>

namespace latitude::solve {
namespace {

/// Keys that share their low or their high half, as chains at nodes do, against std::unordered_map.
TEST(KeyTable, KeepsTheFirstValueOfEachKey) {
  for (const std::uint64_t most : {3ULL, 500ULL, 100'000ULL}) {
    std::mt19937_64 random(most);
    KeyTable<std::uint32_t> map;
    KeyTable<Nothing> set;
    std::unordered_map<std::uint64_t, std::uint32_t> expected;
    for (std::uint32_t i = 0; i < 50'000; ++i) {
      const std::uint64_t key = (random() % most) << 32 | (random() % 7);
      const auto [number, fresh] = map.try_emplace(key, i);
      const auto [known, first] = expected.try_emplace(key, i);
      ASSERT_EQ(number, known->second);
      ASSERT_EQ(fresh, first);
      ASSERT_EQ(set.try_emplace(key).second, first);
    }
    for (const auto& [key, number] : expected) EXPECT_EQ(map.try_emplace(key, 1).first, number);
  }
}

}  // namespace
}  // namespace latitude::solve
