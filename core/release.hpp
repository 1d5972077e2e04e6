#pragma once

#include <vector>

namespace latitude {

/// Empties a list and gives its memory back, which `list = {}` keeps: that assigns no elements.
template <class Element>
void release(std::vector<Element>& list) noexcept {
  std::vector<Element>().swap(list);
}

}  // namespace latitude
