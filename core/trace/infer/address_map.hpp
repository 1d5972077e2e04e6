#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace latitude::trace::infer {

/// 64-bit key → 32-bit value, with open addresses. For the few frequent look-ups of a trace:
/// request addresses, communicator handles.
class AddressMap {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  AddressMap() : slots_(kFirstSlots) {}

  /// kNone if missing.
  std::uint32_t find(std::uint64_t key) const noexcept { return slots_[slot_of(key)].value; }

  void set(std::uint64_t key, std::uint32_t value) {
    Slot& slot = slots_[slot_of(key)];
    if (slot.value == kNone) {
      slot = {key, value};
      if (++used_ * 2 > slots_.size()) grow();
    } else {
      slot.value = value;
    }
  }

 private:
  static constexpr std::size_t kFirstSlots = 64;
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t value = kNone;
  };

  /// The key's slot, or the free one for it.
  std::size_t slot_of(std::uint64_t key) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t hash = key * 0x9e3779b97f4a7c15u;
    std::size_t slot = static_cast<std::size_t>(hash ^ (hash >> 32)) & mask;
    while (slots_[slot].value != kNone && slots_[slot].key != key) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.value != kNone) slots_[slot_of(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace latitude::trace::infer
