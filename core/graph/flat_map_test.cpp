// FlatMap behaves as std::map.
#include "core/flat_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace latitude {
namespace {

TEST(FlatMap, DoesWhatAMapDoes) {
  std::mt19937 random(1);
  FlatMap<std::uint32_t, int> flat;
  std::map<std::uint32_t, int> map;
  for (int step = 0; step < 200000; ++step) {
    const auto key = static_cast<std::uint32_t>(random() % (step % 40000 < 20000 ? 500 : 20));
    switch (random() % 3) {
      case 0:
        flat[key] = step;
        map[key] = step;
        break;
      case 1:
        flat.erase(key);
        map.erase(key);
        break;
      default: {
        const int* const found = flat.find(key);
        ASSERT_EQ(found != nullptr, map.contains(key));
        if (found != nullptr) {
          ASSERT_EQ(*found, map[key]);
        }
      }
    }
    ASSERT_EQ(flat.size(), map.size());
  }
  std::map<std::uint32_t, int> copy;
  flat.each([&](std::uint32_t key, int value) { copy[key] = value; });
  EXPECT_EQ(copy, map);
}

}  // namespace
}  // namespace latitude
