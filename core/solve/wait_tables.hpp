#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/solve/waits.hpp"

namespace latitude::solve {

inline constexpr std::uint32_t kNoRow = 0xffffffffU;

/// Rows with sums, by 64 bits of key: a table with open addresses, because each piece of time
/// searches it.
template <class Row>
class Rows {
 public:
  std::uint32_t index(std::uint64_t key, const Row& fresh) {
    if (key == last_key_ && last_ != kNoRow) return last_;
    if (2 * rows_.size() >= entries_.size()) grow();
    Entry& entry = entry_of(key);
    if (entry.row == kNoRow) {
      entry = {key, static_cast<std::uint32_t>(rows_.size())};
      rows_.push_back(fresh);
    }
    last_key_ = key;
    last_ = entry.row;
    return last_;
  }
  Row& operator[](std::uint32_t index) { return rows_[index]; }
  Row& row(std::uint64_t key, const Row& fresh) { return rows_[index(key, fresh)]; }
  std::size_t size() const { return rows_.size(); }

  std::vector<Row> sorted() && {
    std::erase_if(entries_, [](const Entry& entry) { return entry.row == kNoRow; });
    std::ranges::sort(entries_, {}, &Entry::key);
    std::vector<Row> result;
    result.reserve(entries_.size());
    for (const Entry& entry : entries_) result.push_back(rows_[entry.row]);
    return result;
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t row = kNoRow;
  };

  Entry& entry_of(std::uint64_t key) {
    constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15U;
    std::size_t at = (key * kGoldenRatio) >> shift_;
    while (entries_[at].row != kNoRow && entries_[at].key != key) {
      at = at + 1 == entries_.size() ? 0 : at + 1;
    }
    return entries_[at];
  }

  void grow() {
    const std::vector<Entry> before =
        std::exchange(entries_, std::vector<Entry>(2 * entries_.size()));
    --shift_;
    for (const Entry& entry : before) {
      if (entry.row != kNoRow) entry_of(entry.key) = entry;
    }
  }

  static constexpr int kBits = 6;
  int shift_ = 64 - kBits;
  std::vector<Entry> entries_{std::size_t{1} << kBits};
  std::vector<Row> rows_;
  std::uint64_t last_key_ = 0;
  std::uint32_t last_ = kNoRow;
};

/// The places of calls, by number: 0 means no call.
class Places {
 public:
  /// The place for calls of one kind at one site.
  std::uint32_t of(trace::Call call, std::uint32_t site) {
    const std::uint64_t key = std::uint64_t{site} << 32 | static_cast<std::uint32_t>(call);
    return numbered(calls_, key, {.call = call, .site = site});
  }

  /// The place of calls at `completing` that complete operations posted at `posting`.
  std::uint32_t both(std::uint32_t completing, std::uint32_t posting) {
    if (completing == posting) return completing;
    Place place = places_[completing];
    place.posted_call = places_[posting].call;
    place.posted_site = places_[posting].site;
    return numbered(pairs_, std::uint64_t{completing} << 32 | posting, place);
  }

  const std::vector<Place>& list() const { return places_; }

 private:
  std::uint32_t numbered(Rows<std::uint32_t>& in, std::uint64_t key, const Place& place) {
    const auto next = static_cast<std::uint32_t>(places_.size());
    const std::uint32_t number = in.row(key, next);
    if (number == next) places_.push_back(place);
    return number;
  }

  std::vector<Place> places_{1};
  Rows<std::uint32_t> calls_;
  Rows<std::uint32_t> pairs_;
};

}  // namespace latitude::solve
