#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/trace/infer/comm_log.hpp"

namespace latitude::trace::infer {

/// The communicator creations from which a handle may come. Handles of one rank mostly have the
/// same creations, or the same and later ones. They share a list, and each handle uses a number of
/// its first entries.
struct Candidates {
  using List = std::shared_ptr<const std::vector<std::uint32_t>>;

  std::uint32_t holder =
      kNothing;  ///< the creation that held the handle last; it comes before the list
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
