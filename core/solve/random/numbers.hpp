#pragma once

#include <cstddef>
#include <cstdint>

#include "core/solve/lanes.hpp"

namespace latitude::solve {

/// Random numbers by counter: the draw of a key in a sample is a function of (seed, key, sample)
/// alone, so that it is the same whatever else is drawn, in whatever order, in however many lanes.
///
/// One hash serves kBlock samples: it gives 128 bits, of which each sample takes 12, an index into
/// a table of kTableSize equally likely values, as the injector takes 12 bits of its generator.
/// The hash multiplies to 128 bits and folds the halves, twice; numbers_test.cpp looks at it.
inline constexpr std::size_t kTableSize = 4096;
inline constexpr std::size_t kBlock = 8;

/// A bijection of 64 bits that leaves no pattern (Stafford's variant 13 of MurmurHash3's end).
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// What a block of samples adds to each key.
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

LATITUDE_INLINE std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

/// The draws of one key in one block: four samples in `low`, four in `high`.
struct BlockDraws {
  std::uint64_t low;
  std::uint64_t high;

  /// Index into the table of sample `k` of the block.
  LATITUDE_INLINE std::size_t index(std::size_t k) const noexcept {
    return ((k < 4 ? low : high) >> (16 * (k & 3U) + 4)) & (kTableSize - 1);
  }
};

/// `key` should be mixed already: keys that differ in few bits would be told apart less well.
LATITUDE_INLINE BlockDraws draw(std::uint64_t key, const BlockSalt& salt) noexcept {
  const std::uint64_t x = fold(key ^ salt.before, 0xd6e8feb86659fd93U);
  return {fold(x ^ salt.low, 0xa0761d6478bd642fU), fold(x ^ salt.high, 0xe7037ed1a0b428dbU)};
}

}  // namespace latitude::solve
