#include "core/trace/infer/pending.hpp"

#include <algorithm>

namespace latitude::trace::infer {

PendingRequests::Found PendingRequests::in_array(const RequestLog::ArrayCall& array,
                                                 RequestSize integer_size, Which which,
                                                 std::vector<std::uint32_t>& ids) const {
  ids.clear();
  // All requests that could be in the array: elements are 4 or 8 bytes.
  const std::uint64_t step = 4;
  const std::uint64_t slots = array.count == 1 ? 1 : std::uint64_t{array.count} * 2;
  const auto offset = [&](std::uint32_t id) { return log_.addresses[id].value - array.first; };
  const std::uint64_t others = which == Which::active ? active_.size() : log_.addresses.size();
  if (slots <= 4 * others + 16) {
    for (std::uint64_t slot = 0; slot < slots; ++slot) {
      const std::uint32_t id = log_.ids.find(array.first + slot * step);
      if (id != kNone && stands(id, which)) ids.push_back(id);
    }
  } else {  // a huge or damaged count: search the existing requests instead
    const auto consider = [&](std::uint32_t id) {
      if (offset(id) < slots * step && offset(id) % step == 0 && stands(id, which)) {
        ids.push_back(id);
      }
    };
    if (which == Which::active) {
      for (const std::uint32_t id : active_) consider(id);
    } else {
      for (std::uint32_t id = 0; id < others; ++id) consider(id);
    }
    std::ranges::sort(ids, {}, offset);
  }
  if (ids.empty() || slots == 1) return Found::yes;

  const auto pointers = static_cast<std::size_t>(
      std::ranges::count_if(ids, [&](std::uint32_t id) { return log_.addresses[id].pointers; }));
  if (pointers != 0 && pointers != ids.size()) return Found::sizes_mixed;
  const auto outside = [&](std::uint64_t size) {
    return [&, size](std::uint32_t id) {
      return offset(id) % size != 0 || offset(id) >= size * array.count;
    };
  };
  RequestSize size = pointers != 0 ? RequestSize::eight : integer_size;
  if (size == RequestSize::unknown) {
    if (std::ranges::any_of(ids, outside(4)) || std::ranges::any_of(ids, outside(8))) {
      return Found::size_unknown;
    }
    size = RequestSize::four;
  }
  std::erase_if(ids, outside(static_cast<std::uint64_t>(size)));
  return Found::yes;
}

}  // namespace latitude::trace::infer
