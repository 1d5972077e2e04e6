// Quality of the random numbers: patterns that a sample's draws must not have.
#include "core/solve/random/numbers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <vector>

namespace latitude::solve {
namespace {

constexpr std::size_t kKeys = 64;
using Drawn = Indices<kKeys>;

/// Indices of `keys` keys, key by key, in samples 0 … samples − 1.
std::vector<std::vector<std::size_t>> table_of(std::size_t keys, std::size_t samples,
                                               std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> result(keys, std::vector<std::size_t>(samples));
  const auto drawn = std::make_unique<Drawn>();
  for (std::size_t first = 0; first < keys; first += kKeys) {
    std::array<std::uint64_t, kKeys> mixed{};
    for (std::size_t i = 0; i < kKeys; ++i) mixed[i] = mix(first + i);
    for (std::size_t block = 0; block < samples / kBlock; ++block) {
      drawn->draw(mixed.data(), block_salt(seed, block));
      for (std::size_t i = 0; i < kKeys; ++i) {
        for (std::size_t k = 0; k < kBlock; ++k) {
          result[first + i][block * kBlock + k] = drawn->of(i, k);
        }
      }
    }
  }
  return result;
}

/// Distance of a χ² with `cells − 1` degrees from its mean, in its own standard deviations.
double excess(const std::vector<std::uint64_t>& count) {
  double total = 0;
  for (const std::uint64_t c : count) total += static_cast<double>(c);
  const double expected = total / static_cast<double>(count.size());
  double chi2 = 0;
  for (const std::uint64_t c : count) {
    chi2 += (static_cast<double>(c) - expected) * (static_cast<double>(c) - expected) / expected;
  }
  const double degrees = static_cast<double>(count.size()) - 1;
  return (chi2 - degrees) / std::sqrt(2 * degrees);
}

constexpr double kUnlikely = 5;

TEST(RandomNumbers, EveryEntryIsEquallyLikely) {
  std::vector<std::uint64_t> count(kTableSize);
  for (const auto& key : table_of(4096, 1024, 1)) {
    for (const std::size_t index : key) ++count[index];
  }
  EXPECT_LT(std::abs(excess(count)), kUnlikely);
}

TEST(RandomNumbers, EveryKeyAndEverySampleIsUniformForItself) {
  const auto table = table_of(256, 65536, 7);
  for (const auto& key : table) {
    std::vector<std::uint64_t> count(64);
    for (const std::size_t index : key) ++count[index / 64];
    EXPECT_LT(std::abs(excess(count)), kUnlikely);
  }
  const auto wide = table_of(65536, 64, 7);
  for (std::size_t sample = 0; sample < 64; ++sample) {
    std::vector<std::uint64_t> count(64);
    for (const auto& key : wide) ++count[key[sample] / 64];
    EXPECT_LT(std::abs(excess(count)), kUnlikely);
  }
}

/// χ² of pairs in 64 × 64 cells, by the high and by the low bits.
template <class Pairs>
void expect_independent(Pairs pairs) {
  std::vector<std::uint64_t> high(4096);
  std::vector<std::uint64_t> low(4096);
  pairs([&](std::size_t a, std::size_t b) {
    ++high[a / 64 * 64 + b / 64];
    ++low[a % 64 * 64 + b % 64];
  });
  EXPECT_LT(std::abs(excess(high)), kUnlikely);
  EXPECT_LT(std::abs(excess(low)), kUnlikely);
}

TEST(RandomNumbers, NeighbouringKeysAreIndependent) {
  const auto table = table_of(4096, 256, 3);
  for (const std::size_t apart : {1, 2, 8, 64, 1024}) {
    expect_independent([&](auto&& pair) {
      for (std::size_t key = 0; key + apart < table.size(); ++key) {
        for (std::size_t s = 0; s < 256; ++s) pair(table[key][s], table[key + apart][s]);
      }
    });
  }
}

TEST(RandomNumbers, NeighbouringSamplesAreIndependent) {
  const auto table = table_of(1024, 1024, 3);
  for (const std::size_t apart : {1, 2, 3, 4, 5, 7, 8, 16, 512}) {
    expect_independent([&](auto&& pair) {
      for (const auto& key : table) {
        for (std::size_t s = 0; s + apart < key.size(); ++s) pair(key[s], key[s + apart]);
      }
    });
  }
}

TEST(RandomNumbers, NeighbouringSeedsAreIndependent) {
  const auto a = table_of(1024, 1024, 11);
  const auto b = table_of(1024, 1024, 12);
  expect_independent([&](auto&& pair) {
    for (std::size_t key = 0; key < a.size(); ++key) {
      for (std::size_t s = 0; s < a[key].size(); ++s) pair(a[key][s], b[key][s]);
    }
  });
}

// A critical path sums many keys: the variance of that sum over samples must be the sum of
// variances, whatever the keys.
TEST(RandomNumbers, SumsOverKeysVaryAsIndependentDrawsDo) {
  constexpr std::size_t kSamples = 4096;
  constexpr std::size_t kTerms = 2048;
  const auto table = table_of(kTerms, kSamples, 5);
  double mean = 0;
  double square = 0;
  for (std::size_t s = 0; s < kSamples; ++s) {
    double sum = 0;
    for (const auto& key : table) sum += static_cast<double>(key[s]) - 2047.5;
    mean += sum / kSamples;
    square += sum * sum / kSamples;
  }
  const double one = (4096.0 * 4096.0 - 1) / 12;
  EXPECT_LT(std::abs(mean), kUnlikely * std::sqrt(one * kTerms / kSamples));
  EXPECT_NEAR((square - mean * mean) / (one * kTerms), 1, kUnlikely * std::sqrt(2.0 / kSamples));
}

TEST(RandomNumbers, OneBitOfAKeyChangesHalfTheBits) {
  const auto drawn = std::make_unique<Drawn>();
  double flipped = 0;
  int trials = 0;
  for (std::uint64_t base = 1; base < 20; ++base) {
    std::array<std::uint64_t, kKeys> keys{};
    for (std::size_t bit = 0; bit < kKeys; ++bit) keys[bit] = mix(base ^ (1ULL << bit));
    drawn->draw(keys.data(), block_salt(1, base));
    std::array<std::uint64_t, kKeys> same{};
    same.fill(mix(base));
    const auto reference = std::make_unique<Drawn>();
    reference->draw(same.data(), block_salt(1, base));
    for (std::size_t i = 0; i < kKeys; ++i) {
      for (std::size_t k = 0; k < kBlock; ++k) {
        flipped += std::popcount(drawn->of(i, k) ^ reference->of(i, k));
        trials += 12;
      }
    }
  }
  EXPECT_NEAR(flipped / trials, 0.5, 0.01);
}

}  // namespace
}  // namespace latitude::solve
