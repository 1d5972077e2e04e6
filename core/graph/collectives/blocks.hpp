#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace latitude::graph::collectives {

/// The number of bytes in each block of a sequence. Equal and split blocks are computed, not
/// stored: a member of a large communicator must not pay for its size in every collective.
class Blocks {
 public:
  static Blocks equal(std::uint64_t bytes, int count) { return {bytes, 1, 0, count}; }

  /// A vector cut as evenly as whole elements allow, the larger blocks first. A vector that does
  /// not consist of whole elements is cut by bytes.
  static Blocks split(std::uint64_t bytes, std::uint64_t element, int count) {
    const std::uint64_t unit = element > 0 && bytes % element == 0 ? element : 1;
    const auto parts = static_cast<std::uint64_t>(count);
    return {bytes / unit / parts, unit, bytes / unit % parts, count};
  }

  static Blocks listed(std::span<const std::int64_t> bytes) {
    Blocks blocks{0, 1, 0, static_cast<int>(bytes.size())};
    blocks.before_.reserve(bytes.size() + 1);
    std::uint64_t sum = 0;
    blocks.before_.push_back(0);
    for (const std::int64_t b : bytes) {
      sum += static_cast<std::uint64_t>(b);
      blocks.before_.push_back(sum);
    }
    return blocks;
  }

  int count() const { return count_; }
  std::uint64_t operator[](int block) const { return range(block, block + 1); }
  /// Bytes of the blocks [first, last).
  std::uint64_t range(int first, int last) const { return before(last) - before(first); }
  /// Bytes of `n` ≤ count() blocks from `first`, wrapping around after the last.
  std::uint64_t cyclic(int first, int n) const {
    const int end = std::min(first + n, count_);
    return range(first, end) + range(0, n - (end - first));
  }
  std::uint64_t total() const { return before(count_); }

 private:
  Blocks(std::uint64_t units, std::uint64_t unit, std::uint64_t larger, int count)
      : units_(units), unit_(unit), larger_(larger), count_(count) {}
  std::uint64_t before(int block) const {
    const auto i = static_cast<std::uint64_t>(block);
    if (!before_.empty()) return before_[i];
    return (units_ * i + std::min(i, larger_)) * unit_;
  }

  std::uint64_t units_;   ///< units in a smaller block
  std::uint64_t unit_;    ///< bytes
  std::uint64_t larger_;  ///< number of blocks with one more unit
  int count_;
  std::vector<std::uint64_t> before_;  ///< listed blocks only: prefix sums
};

}  // namespace latitude::graph::collectives
