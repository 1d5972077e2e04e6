#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace latitude::solve {

/// The value type of a set of keys.
struct Nothing {};

/// A value for each key, for millions of keys that come one by one. All are in one array;
/// std::unordered_map would allocate a piece of memory for each.
template <class Value>
class KeyTable {
 public:
  /// No key may have this value.
  static constexpr std::uint64_t kNoKey = std::numeric_limits<std::uint64_t>::max();

  /// Returns the key's value, which becomes `value` if the key had none, and whether it had none.
  std::pair<Value, bool> try_emplace(std::uint64_t key, Value value = {}) {
    if (4 * (size_ + 1) > 3 * entries_.size()) grow();
    Entry& entry = find(key);
    const bool fresh = entry.key == kNoKey;
    if (fresh) {
      entry = {key, value};
      ++size_;
    }
    return {entry.value, fresh};
  }

 private:
  struct Entry {
    std::uint64_t key = kNoKey;
    [[no_unique_address]] Value value{};
  };

  /// The key's entry, or the empty entry that the key would take.
  Entry& find(std::uint64_t key) {
    const std::size_t last = entries_.size() - 1;
    std::size_t i = static_cast<std::size_t>((key * kScatter) >> shift_);
    while (entries_[i].key != key && entries_[i].key != kNoKey) i = (i + 1) & last;
    return entries_[i];
  }

  void grow() {
    std::vector<Entry> before(entries_.empty() ? kFirst : 2 * entries_.size());
    before.swap(entries_);
    shift_ = before.empty() ? kFirstShift : shift_ - 1;
    for (const Entry& entry : before) {
      if (entry.key != kNoKey) find(entry.key) = entry;
    }
  }

  static constexpr std::size_t kFirst = 64;
  static constexpr unsigned kFirstShift = 64 - 6;
  /// 2⁶⁴ over the golden ratio: multiples of keys that differ little are far apart in their high
  /// bits.
  static constexpr std::uint64_t kScatter = 0x9e3779b97f4a7c15U;

  std::vector<Entry>
      entries_;  ///< their number is a power of two; at most three quarters are taken
  unsigned shift_ = 0;
  std::size_t size_ = 0;
};

}  // namespace latitude::solve
