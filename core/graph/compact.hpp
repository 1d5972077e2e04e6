#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace latitude::graph {

/// Whole numbers that seldom fall, such as the start of each vertex' part of a list. A number takes
/// little more than a byte if its neighbours are close, as with a few dependencies per vertex, and
/// its full size otherwise.
class Offsets {
 public:
  Offsets() = default;
  explicit Offsets(const std::vector<std::uint32_t>& values) {
    reserve(values.size());
    for (const std::uint32_t value : values) push_back(value);
  }

  bool operator==(const Offsets&) const = default;

  std::size_t size() const noexcept { return past_.size(); }
  void reserve(std::size_t size) {
    past_.reserve(size);
    first_.reserve(size / kBlock + 1);
  }

  void clear() {
    past_.clear();
    first_.clear();
    far_.clear();
  }

  void push_back(std::uint32_t value) {
    const std::size_t i = size();
    if (i % kBlock == 0) first_.push_back(value);
    const std::uint32_t past = value - first_.back();
    past_.push_back(static_cast<std::uint8_t>(past < kFar ? past : kFar));
    if (past >= kFar) far_[i / kBlock][i % kBlock] = value;
  }

  std::uint32_t operator[](std::size_t i) const {
    const std::uint8_t past = past_[i];
    return past == kFar ? far(i) : first_[i / kBlock] + past;
  }

 private:
  /// Not inlined, so that the usual case is.
  [[gnu::noinline, gnu::cold]] std::uint32_t far(std::size_t i) const {
    return far_.at(i / kBlock)[i % kBlock];
  }

  static constexpr std::size_t kBlock = 16;
  static constexpr std::uint8_t kFar = 255;

  std::vector<std::uint8_t> past_;    ///< difference to the first number of the block
  std::vector<std::uint32_t> first_;  ///< by block
  std::unordered_map<std::size_t, std::array<std::uint32_t, kBlock>> far_;  ///< by block
};

/// A number for some of many indices: four bytes for each index that has a number, and little for
/// the others.
class Marks {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  bool empty() const noexcept { return values_.empty(); }

  /// Indices come in rising order.
  void set(std::size_t i, std::uint32_t value) {
    while (words_.size() <= i / kBits) {
      words_.push_back({0, static_cast<std::uint32_t>(values_.size())});
    }
    words_.back().bits |= std::uint64_t{1} << i % kBits;
    values_.push_back(value);
  }

  /// kNone if the index has none.
  std::uint32_t operator[](std::size_t i) const {
    if (i / kBits >= words_.size()) return kNone;
    const Word& word = words_[i / kBits];
    const std::uint64_t own = std::uint64_t{1} << i % kBits;
    if ((word.bits & own) == 0) return kNone;
    return values_[word.before + static_cast<std::uint32_t>(std::popcount(word.bits & (own - 1)))];
  }

 private:
  static constexpr std::size_t kBits = 64;

  struct Word {
    std::uint64_t bits;
    std::uint32_t before;  ///< number of indices with a number in the words before
  };

  std::vector<Word> words_;
  std::vector<std::uint32_t> values_;
};

}  // namespace latitude::graph
