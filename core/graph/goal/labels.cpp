#include "core/graph/goal/labels.hpp"

namespace latitude::graph::goal {

bool Labels::define(std::string_view label, std::uint32_t operation) {
  const auto number = counted(label);
  if (!number) return others_.try_emplace(std::string(label), operation).second;
  const std::uint32_t page = *number / kPage;
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (!pages_[page]) {
    pages_[page] = std::make_unique<Page>();
    pages_[page]->fill(kUnknown);
    used_pages_.push_back(page);
  }
  std::uint32_t& slot = (*pages_[page])[*number % kPage];
  if (slot != kUnknown) return false;
  slot = operation;
  return true;
}

std::uint32_t Labels::find(std::string_view label) const {
  if (const auto number = counted(label)) {
    const std::uint32_t page = *number / kPage;
    return page < pages_.size() && pages_[page] ? (*pages_[page])[*number % kPage] : kUnknown;
  }
  const auto found = others_.find(label);
  return found == others_.end() ? kUnknown : found->second;
}

std::string Labels::name_of(std::uint32_t operation) const {
  for (const auto& [label, labelled] : others_) {
    if (labelled == operation) return label;
  }
  for (const std::uint32_t page : used_pages_) {
    for (std::uint32_t i = 0; i < kPage; ++i) {
      if ((*pages_[page])[i] == operation)
        return std::string("l").append(std::to_string(page * kPage + i));
    }
  }
  return "operation " + std::to_string(operation);
}

void Labels::clear() {
  for (const std::uint32_t page : used_pages_) pages_[page].reset();
  used_pages_.clear();
  others_.clear();
}

}  // namespace latitude::graph::goal
