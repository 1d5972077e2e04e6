#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/solve/lanes.hpp"

namespace latitude::solve {

/// Random numbers by counter: the draw of a key in a sample is a function of (seed, key, sample)
/// alone. A draw therefore does not depend on other draws, their order, or the number of lanes.
///
/// One hash gives 128 bits for kBlock samples. Each sample takes 12 of these bits, as the injector
/// does: an index into a table of kTableSize equally likely values. Loops over keys suit the vector
/// units; numbers_test.cpp tests the quality.
inline constexpr std::size_t kTableSize = 4096;
inline constexpr std::size_t kBlock = 8;

/// A bijection of 64 bits that leaves no pattern (Stafford's variant 13 of the end of MurmurHash3).
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// The summand of a block of samples for each key.
struct BlockSalt {
  std::uint64_t before;
  std::uint64_t low;
  std::uint64_t high;
};

constexpr BlockSalt block_salt(std::uint64_t seed, std::uint64_t block) noexcept {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
  const std::uint64_t base = mix(mix(seed + kGolden) + block * kGolden);
  return {mix(base + kGolden), mix(base + 2 * kGolden), mix(base + 3 * kGolden)};
}

static_assert(std::endian::native == std::endian::little, "indices are read where words are");

/// The indices of a block's samples, for many keys.
template <std::size_t kMost>
struct Indices {
  static constexpr std::size_t kPerWord = kBlock / 2;
  alignas(64) std::uint16_t low[kMost][kPerWord];   ///< samples 0 to 3 of the block
  alignas(64) std::uint16_t high[kMost][kPerWord];  ///< samples 4 to 7

  std::size_t of(std::size_t key, std::size_t sample) const noexcept {
    return sample < kPerWord ? low[key][sample] : high[key][sample - kPerWord];
  }

  /// Draws the indices of kMost keys, which should already be mixed.
  LATITUDE_INLINE void draw(const std::uint64_t* keys, const BlockSalt salt) noexcept {
    for (std::size_t i = 0; i < kMost; ++i) {
      std::uint64_t x = keys[i] ^ salt.before;
      x = (x ^ (x >> 32U)) * 0xd6e8feb86659fd93U;
      x ^= x >> 29U;
      put(low[i], (x ^ salt.low) * 0xa0761d6478bd642fU);
      put(high[i], (x ^ salt.high) * 0xe7037ed1a0b428dbU);
    }
  }

 private:
  /// Stores four indices of 12 bits each.
  LATITUDE_INLINE static void put(std::uint16_t* four, std::uint64_t product) noexcept {
    const std::uint64_t word = ((product ^ (product >> 32U)) >> 4U) & 0x0fff0fff0fff0fffU;
    std::memcpy(four, &word, sizeof word);
  }
};

}  // namespace latitude::solve
