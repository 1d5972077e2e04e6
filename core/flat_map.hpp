#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace latitude {

/// The hash of FlatMap's keys: their upper half distinguishes them.
struct HashNumber {
  std::uint64_t operator()(std::uint64_t number) const noexcept {
    return number * 0x9e3779b97f4a7c15U;
  }
};

/// A map for a few entries that come and go often. Insertion allocates no memory (linear probing;
/// an erased entry lets the entries behind it move forward). Pointers to values are valid until the
/// next insertion or removal.
template <class Key, class Value, class Hash = HashNumber>
class FlatMap {
 public:
  struct Entry {
    Key key{};
    Value value{};
    bool used = false;
  };

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  bool contains(Key key) const noexcept { return find(key) != nullptr; }

  Value* find(Key key) noexcept {
    return const_cast<Value*>(std::as_const(*this).find(key));  // NOLINT(*-const-cast): is not
  }
  const Value* find(Key key) const noexcept {
    if (entries_.empty()) return nullptr;
    for (std::size_t i = home(key);; i = next(i)) {
      if (!entries_[i].used) return nullptr;
      if (entries_[i].key == key) return &entries_[i].value;
    }
  }

  /// The value of the key; created if missing.
  Value& operator[](Key key) {
    if (Value* const known = find(key)) return *known;
    if (2 * (size_ + 1) > entries_.size()) resize(std::max(kLeast, 2 * entries_.size()));
    std::size_t i = home(key);
    while (entries_[i].used) i = next(i);
    entries_[i] = {key, Value{}, true};
    ++size_;
    return entries_[i].value;
  }

  void erase(Key key) {
    if (entries_.empty()) return;
    std::size_t hole = home(key);
    while (entries_[hole].used && entries_[hole].key != key) hole = next(hole);
    if (!entries_[hole].used) return;
    for (std::size_t i = next(hole); entries_[i].used; i = next(i)) {
      const std::size_t mask = entries_.size() - 1;
      // Whether the hole lies between the home of the entry and its place.
      if (((i - home(entries_[i].key)) & mask) < ((i - hole) & mask)) continue;
      entries_[hole] = std::move(entries_[i]);
      hole = i;
    }
    entries_[hole] = Entry{};
    --size_;
    if (entries_.size() > kLeast && 8 * size_ < entries_.size()) resize(entries_.size() / 2);
  }

  /// Calls visit(key, value) for each entry, in no order.
  template <class Visit>
  void each(Visit visit) const {
    for (const Entry& entry : entries_) {
      if (entry.used) visit(entry.key, entry.value);
    }
  }

 private:
  static constexpr std::size_t kLeast = 16;

  std::size_t home(Key key) const noexcept {
    return static_cast<std::size_t>(Hash{}(key) >> 32) & (entries_.size() - 1);
  }
  std::size_t next(std::size_t i) const noexcept { return (i + 1) & (entries_.size() - 1); }

  void resize(std::size_t size) {
    std::vector<Entry> before = std::exchange(entries_, std::vector<Entry>(size));
    for (Entry& entry : before) {
      if (!entry.used) continue;
      std::size_t i = home(entry.key);
      while (entries_[i].used) i = next(i);
      entries_[i] = std::move(entry);
    }
  }

  std::vector<Entry> entries_;  ///< their number is a power of two; at least half are unused
  std::size_t size_ = 0;
};

}  // namespace latitude
