#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/trace/infer/comm_log.hpp"

namespace latitude::trace::infer {

/// The creations that may have given a handle. Handles of one rank mostly have the same ones, or
/// these and later ones: they share a list, and each uses a number of its first entries.
struct Candidates {
  using List = std::shared_ptr<const std::vector<std::uint32_t>>;

  std::uint32_t holder = kNothing;  ///< the last holder of the handle, before the others
  List list;
  std::size_t count = 0;

  std::span<const std::uint32_t> listed() const { return {list ? list->data() : nullptr, count}; }
  std::size_t size() const { return count + (holder == kNothing ? 0 : 1); }
  bool empty() const { return size() == 0; }
  std::uint32_t operator[](std::size_t i) const {
    if (holder == kNothing) return (*list)[i];
    return i == 0 ? holder : (*list)[i - 1];
  }
};

}  // namespace latitude::trace::infer
